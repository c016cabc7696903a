package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/printable"
)

// Test returns the name of the test, such as "write_bw".
func (f *File) Test() string { return string(f.Op) + "_" + string(f.Kind) }

// Write stores f at path as indented JSON. The file appears complete or not at all: Write writes it
// next to path and renames it. It writes directly to a path that is not a regular file, such as
// /dev/stdout.
func (f *File) Write(path string) error {
	data, err := f.Encode()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("write result file %s: %w", path, err)
	}
	return nil
}

// Encode returns f as indented JSON with non-printable characters escaped. It returns an error if
// [Parse] would refuse the result.
func (f *File) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	data = append(printable.EscapeJSON(data), '\n')
	if _, err := Parse(data); err != nil {
		return nil, fmt.Errorf("encode result: the file would not be readable: %w", err)
	}
	return data, nil
}

// MaxFileSize is the size in bytes of the largest result file that [Read] reads: about six million rounds.
const MaxFileSize = 1 << 30

// Read reads and checks the result file at path.
func Read(path string) (*File, error) {
	data, err := readLimited(path)
	if err != nil {
		return nil, fmt.Errorf("read result file %s: %w", path, atomicfile.Cause(err))
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read result file %s: %w", path, err)
	}
	return f, nil
}

// readLimited reads a file or a pipe of at most MaxFileSize.
func readLimited(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if info.Mode().IsRegular() && info.Size() <= MaxFileSize {
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	if info.Size() <= MaxFileSize {
		_, err = b.ReadFrom(io.LimitReader(file, MaxFileSize+1))
	}
	if err == nil && max(info.Size(), int64(b.Len())) > MaxFileSize {
		err = fmt.Errorf("it has more than %d MiB, which is the limit", MaxFileSize>>20)
	}
	return b.Bytes(), err
}
