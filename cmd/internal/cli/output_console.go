package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/terminal"
	"golang.org/x/sys/unix"
)

// console prints results to out and everything else to err. Several sessions may share one.
type console struct {
	mu  sync.Mutex
	out *printable.Writer
	err *printable.Writer
}

func newConsole(out, err io.Writer) *console {
	return &console{out: printable.NewWriter(out), err: printable.NewWriter(err)}
}

// note prints a line to err.
func (c *console) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.err, format+"\n", args...)
}

// fail prints an error of a program to err; nil: nothing.
func (c *console) fail(program string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		c.note("%s: %s", program, shorten(line)) // may hold text of a peer
	}
}

// Write prints results, in one piece.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.out.Write(p)
	if errors.Is(err, unix.EPIPE) {
		err = fmt.Errorf("%w: the reader of this output has ended; use a reader that reads to the end, or print to a file", err)
	}
	return n, err
}

// progress prints to err, without ending the line.
func (c *console) progress(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprint(c.err, text)
}

// clearLine clears the unfinished line of err.
func (c *console) clearLine() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.err.ClearLine() // the next write fails as well
}

// output prints what a session prints. With a client's name, as on a server with several clients,
// each line has the name in front, and results are printed when the session is over.
type output struct {
	console *console
	client  string       // empty: the only client
	results bytes.Buffer // not printed yet
}

func (o *output) note(format string, args ...any) {
	if o.client != "" {
		format = "client " + o.client + ": " + format
	}
	o.console.note(format, args...)
}

// fail prints the error of a session; nil: nothing.
func (o *output) fail(program string, err error) {
	switch {
	case o.client == "":
		o.console.fail(program, err)
	case err != nil:
		o.note("failed with status %d: %s", Status(err), oneLine(err))
	}
}

func (o *output) Write(p []byte) (int, error) {
	if o.client != "" {
		return o.results.Write(p)
	}
	return o.console.Write(p)
}

// release prints the results of a session with a client's name, and the name above them.
func (o *output) release() error {
	if o.results.Len() == 0 {
		return nil
	}
	_, err := o.console.Write(append([]byte("client "+o.client+":\n"), o.results.Bytes()...))
	o.results.Reset()
	return err
}

// announce prints the chosen device and why, unless -d names it.
func (o *output) announce(c choice) {
	if c.why == "" {
		return
	}
	name := c.device.Name()
	if software := c.device.Software(); software != "" {
		name += " (software device: " + software + ")"
	}
	o.note("device %s: %s", name, c.why)
}

// width returns the width of the terminal that results go to, 0 without a terminal.
func (c *console) width() int { return terminal.Width(c.out) }
