// Package pmi speaks version 1 of the process management interface of MPI launchers: lines of text over a
// descriptor that a process has inherited.
package pmi

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// key is the name under which rank 0 leaves its value.
const key = "ibperf-root"

// Share hands a value from rank 0 to all other ranks, and returns it. All ranks must call it; it fails if one of them
// has not within a limit. A value has up to 1,000 characters without spaces.
func Share(fd, rank int, value string, limit time.Duration) (string, error) {
	if err := syscall.SetNonblock(fd, true); err != nil { // so that deadlines work
		return "", fmt.Errorf("PMI-1 over descriptor %d: %w", fd, err)
	}
	file := os.NewFile(uintptr(fd), "PMI_FD")
	defer file.Close()
	if err := file.SetDeadline(time.Now().Add(limit)); err != nil {
		return "", fmt.Errorf("PMI-1 over descriptor %d: %w", fd, err)
	}
	c := client{file: file, in: bufio.NewReader(file)}
	c.call("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")
	space := " kvsname=" + c.call("cmd=get_my_kvsname", "my_kvsname")["kvsname"] + " key=" + key
	if rank == 0 {
		c.call("cmd=put"+space+" value="+value, "put_result")
	}
	c.call("cmd=barrier_in", "barrier_out")
	value = c.call("cmd=get"+space, "get_result")["value"]
	c.call("cmd=finalize", "finalize_ack")
	if c.err != nil {
		return "", fmt.Errorf("PMI-1 over descriptor %d: %w", fd, c.err)
	}
	return value, nil
}

// client is one side of the descriptor. After an error its calls do nothing.
type client struct {
	file *os.File
	in   *bufio.Reader
	err  error
}

// call sends a line and returns the members of the answer, which must be of a command.
func (c *client) call(line, answer string) map[string]string {
	if c.err != nil {
		return nil
	}
	if _, err := c.file.WriteString(line + "\n"); err != nil {
		c.err = err
		return nil
	}
	text, err := c.in.ReadString('\n')
	if err != nil {
		c.err = fmt.Errorf("no answer to %q: %w", line, err)
		return nil
	}
	members := map[string]string{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		members[name] = value
	}
	if rc := members["rc"]; members["cmd"] != answer || rc != "" && rc != "0" {
		c.err = fmt.Errorf("%q was answered by %q", line, strings.TrimSpace(text))
	}
	return members
}
