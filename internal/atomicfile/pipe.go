package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// pipeLimits are the longest waits for the reader of a named pipe. Tests shorten them.
var pipeLimits = struct{ open, read time.Duration }{open: 10 * time.Second, read: time.Minute}

// pipeChunk is the number of bytes that are written at once.
const pipeChunk = 64 << 10

// errNoReader is the cause of a named pipe that has no reader.
var errNoReader = errors.New("it is a named pipe, and no process reads it")

// writePipe writes to a named pipe, for whose reader it waits for a limited time.
func writePipe(path string, data []byte) error {
	out, err := openPipe(path)
	if err != nil {
		return err
	}
	for err == nil && len(data) > 0 {
		n := min(len(data), pipeChunk)
		if err = out.SetWriteDeadline(time.Now().Add(pipeLimits.read)); err == nil {
			_, err = out.Write(data[:n])
		}
		data = data[n:]
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("its reader has read nothing for %v: %w", pipeLimits.read, os.ErrDeadlineExceeded)
	}
	return errors.Join(err, out.Close())
}

// openPipe opens a named pipe when a process has opened it for reading.
func openPipe(path string) (*os.File, error) {
	for late := time.Now().Add(pipeLimits.open); ; time.Sleep(20 * time.Millisecond) {
		out, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		switch {
		case !errors.Is(err, syscall.ENXIO):
			return out, err
		case time.Now().After(late):
			return nil, errNoReader
		}
	}
}
