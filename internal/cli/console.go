package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ibperf/ibperf/internal/terminal"
	"golang.org/x/sys/unix"
)

// console is where a program prints: results to out, everything else to err.
// Several sessions may share one.
type console struct {
	mu  sync.Mutex
	out *terminal.Writer
	err *terminal.Writer
}

func newConsole(out, err io.Writer) *console {
	return &console{out: terminal.NewWriter(out), err: terminal.NewWriter(err)}
}

// note prints a line to err.
func (c *console) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.err, format+"\n", args...)
}

// fail prints an error of a program, if there is one, to err.
func (c *console) fail(program string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		c.note("%s: %s", program, shorten(line)) // a peer may have had a part in it
	}
}

// Write prints results, in one piece.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.out.Write(p)
	if errors.Is(err, unix.EPIPE) {
		err = fmt.Errorf("%w: its reader has ended; use one that reads to the end, or print to a file", err)
	}
	return n, err
}

// progress prints to err, without ending the line.
func (c *console) progress(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprint(c.err, text)
}

// clearLine takes the line of err away that has not ended.
func (c *console) clearLine() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.err.ClearLine() // what comes next fails as well
}

// voice is what a session says: on the console at once, or, of a server with
// several clients, results when the session is over and lines with the client's
// name in front.
type voice struct {
	console *console
	client  string       // in front of lines; empty: nothing
	held    bytes.Buffer // results of a session that has a client's name
}

func (v *voice) note(format string, args ...any) {
	if v.client != "" {
		format = "client " + v.client + ": " + format
	}
	v.console.note(format, args...)
}

// fail says that the session has failed, if there is an error.
func (v *voice) fail(program string, err error) {
	switch {
	case v.client == "":
		v.console.fail(program, err)
	case err != nil:
		v.note("failed with status %d: %s", Status(err), oneLine(err))
	}
}

func (v *voice) Write(p []byte) (int, error) {
	if v.client != "" {
		return v.held.Write(p)
	}
	return v.console.Write(p)
}

// release prints the results that were held back, with the client's name above them.
func (v *voice) release() error {
	if v.held.Len() == 0 {
		return nil
	}
	_, err := v.console.Write(append([]byte("client "+v.client+":\n"), v.held.Bytes()...))
	v.held.Reset()
	return err
}

// announce says which device was chosen, and why if it was not named here.
func (v *voice) announce(c choice) {
	if c.why == "" {
		return
	}
	name := c.device.Name()
	if software := c.device.Software(); software != "" {
		name += " (software device: " + software + ")"
	}
	v.note("device %s: %s", name, c.why)
}

// width is the width of the terminal that results go to, 0 where it is none.
func (c *console) width() int { return terminal.Width(c.out) }
