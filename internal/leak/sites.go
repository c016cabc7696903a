package leak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tracedVariable has the file into which a traced process saves its leaks.
const tracedVariable = "IBPERF_LEAK_FILE"

// traced are the system calls that make descriptors, mappings and threads. A name with ? may be absent on an architecture.
const traced = "?open,openat,socket,socketpair,?accept,accept4,?pipe,pipe2,dup,?dup2,dup3,fcntl,epoll_create1,eventfd2," +
	"memfd_create,timerfd_create,signalfd4,pidfd_open,inotify_init1,recvmsg,mmap,clone,clone3"

// longestTrace limits the run under strace.
const longestTrace = 3 * time.Minute

// origins runs the tests again under strace, and returns what that run has left, with the stack of the call that made it.
// The second run may leave something else.
func origins() (snapshot, map[string]string, error) {
	var left snapshot
	dir, err := os.MkdirTemp("", "ibperf-leak-")
	if err != nil {
		return left, nil, err
	}
	defer os.RemoveAll(dir)
	trace, saved := filepath.Join(dir, "trace"), filepath.Join(dir, "left")
	own, err := os.Executable()
	if err != nil {
		return left, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestTrace)
	defer cancel()
	c := exec.CommandContext(ctx, "strace", append([]string{"-f", "-k", "-qq", "-o", trace, "-e", "signal=none", "-e", "trace=" + traced, own}, os.Args[1:]...)...)
	c.Env = append(os.Environ(), tracedVariable+"="+saved)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // with the tests
	if out, err := c.CombinedOutput(); err != nil {
		return left, nil, fmt.Errorf("strace (Debian package strace): %w\n%s", err, out)
	}
	data, err := os.ReadFile(saved)
	if err != nil {
		return left, nil, err
	}
	if err := json.Unmarshal(data, &left); err != nil {
		return left, nil, err
	}
	text, err := os.ReadFile(trace)
	return left, parse(string(text), symbol), err
}

var (
	call    = regexp.MustCompile(`^(\d+) +(\w+)\((.*)$`)
	resumed = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)$`)
	result  = regexp.MustCompile(`\) += (0x[0-9a-f]+|\d+)`)
	numbers = regexp.MustCompile(`(?:^|cmsg_data=|, )\[([\d, ]+)\]`)
	frame   = regexp.MustCompile(`^ > (.*?)\((.*)\) \[(0x[0-9a-f]+)\]`)
)

// parse returns the stacks of the last calls that made a descriptor, by its number, or a mapping, by its address in hex, from
// the output of strace. name returns the place of a frame.
func parse(trace string, name func(file, symbol string, offset uint64) string) map[string]string {
	threads, begun := map[string]bool{}, map[string]string{}
	stacks := map[string]string{}
	var made []string
	for line := range strings.Lines(trace) {
		line = strings.TrimRight(line, "\n")
		if f := frame.FindStringSubmatch(line); f != nil {
			offset, _ := strconv.ParseUint(f[3], 0, 64)
			for _, m := range made {
				stacks[m] += "\t" + name(f[1], f[2], offset) + "\n"
			}
			continue
		}
		pid, text, whole := join(line, begun)
		if !whole {
			continue
		}
		if len(threads) == 0 {
			threads[pid] = true
		}
		made = nil
		if threads[pid] {
			made = makes(text, threads)
		}
		for _, m := range made {
			stacks[m] = "\t" + text + "\n"
		}
	}
	return stacks
}

// join returns a call with its arguments and result, which strace prints in two lines if another thread's call is between.
func join(line string, begun map[string]string) (pid, text string, whole bool) {
	if c := call.FindStringSubmatch(line); c != nil {
		text, unfinished := strings.CutSuffix(c[2]+"("+c[3], " <unfinished ...>")
		begun[c[1]] = text
		return c[1], text, !unfinished
	}
	if r := resumed.FindStringSubmatch(line); r != nil {
		return r[1], begun[r[1]] + r[3], true
	}
	return "", "", false
}

// makes returns the descriptors and mappings that a call has made, and notes a new thread.
func makes(text string, threads map[string]bool) (made []string) {
	r := result.FindStringSubmatch(text)
	if r == nil {
		return nil
	}
	name, arguments, _ := strings.Cut(text, "(")
	switch {
	case strings.HasPrefix(name, "clone"):
		if strings.Contains(text, "CLONE_THREAD") {
			threads[r[1]] = true
		}
	case strings.HasPrefix(name, "pipe"), name == "socketpair", name == "recvmsg":
		for _, list := range numbers.FindAllStringSubmatch(arguments, -1) {
			made = append(made, strings.Split(list[1], ", ")...)
		}
	case name == "fcntl" && !strings.Contains(arguments, "F_DUPFD"):
	default:
		made = []string{r[1]}
	}
	return made
}

// symbol returns the function and line of a frame in the test binary, which has no symbols for strace, and the file and symbol
// of one in a library. The line of an inlined function stands beside the function that has it.
func symbol(file, symbol string, offset uint64) string {
	own, _ := os.Executable()
	if file != own {
		return fmt.Sprintf("%s %s", filepath.Base(file), symbol)
	}
	f, _ := runtime.CallersFrames([]uintptr{uintptr(loaded(own) + offset)}).Next()
	return fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line)
}

// loaded returns the address at which a file is mapped first.
func loaded(file string) uint64 {
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range bytes.Lines(maps) {
		if bytes.HasSuffix(bytes.TrimSpace(line), []byte(file)) {
			from, _, _ := bytes.Cut(line, []byte("-"))
			at, _ := strconv.ParseUint(string(from), 16, 64)
			return at
		}
	}
	return 0
}
