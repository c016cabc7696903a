package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/internal/subprocess"
)

// A supervisor answers system calls of a process in the kernel's place, see seccomp_unotify(2): it lets them pass, or
// fails one. The process is started by this test binary, which asks the kernel for it and then executes the program.

// superviseVariable makes the test binary execute its arguments under supervision.
const superviseVariable = "IBPERF_TEST_SUPERVISE"

// watched are the system calls on files, with the errno with which each fails.
var watched = map[int]struct {
	name  string
	errno syscall.Errno
	path  int // argument with a path; -1: the first argument is a descriptor
}{
	unix.SYS_OPENAT:    {"openat", unix.ENOSPC, 1},
	unix.SYS_WRITE:     {"write", unix.ENOSPC, -1},
	unix.SYS_FSYNC:     {"fsync", unix.EIO, -1},
	unix.SYS_FTRUNCATE: {"ftruncate", unix.EIO, -1},
	unix.SYS_RENAMEAT:  {"renameat", unix.EIO, 3},
	unix.SYS_MKDIRAT:   {"mkdirat", unix.ENOSPC, 1},
	unix.SYS_UNLINKAT:  {"unlinkat", unix.EIO, 1},
}

// filePoint is a system call of a run: the N-th of its kind on a path.
type filePoint struct {
	call string
	path string // below the folder of the run; random parts are "*"
	n    int
}

func (p filePoint) String() string { return fmt.Sprintf("%s %d of %s", p.call, p.n, p.path) }

// supervisor watches the system calls of one process and of those that it starts.
type supervisor struct {
	dir  string
	at   filePoint
	kill bool // the process is killed at the point; otherwise the call fails

	victim   *side
	listener int
	mu       sync.Mutex
	seen     []filePoint
	hit      bool
}

// errRefused is the error of a kernel, or of a container, without supervision.
var errRefused = errors.New("seccomp_unotify(2) is not available")

// start starts a program under supervision.
func (s *supervisor) start(cmd *exec.Cmd) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(pair[1]), "supervisor")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	program := cmd.Path
	cmd.Path, cmd.ExtraFiles = self, []*os.File{theirs}
	cmd.Env = append(cmd.Env, superviseVariable+"=1")
	err = subprocess.Start(cmd)
	cmd.Path = program // messages begin with its name
	theirs.Close()
	defer unix.Close(pair[0])
	if err != nil {
		return err
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), oob, 0)
	if err != nil {
		return err
	}
	controls, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(controls) == 0 {
		return errors.Join(errRefused, err)
	}
	fds, err := unix.ParseUnixRights(&controls[0])
	if err != nil {
		return err
	}
	s.listener = fds[0]
	go s.answer()
	return nil
}

// answer answers all calls until the process and its children have ended.
func (s *supervisor) answer() {
	defer unix.Close(s.listener)
	for {
		ready := []unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR || ready[0].Revents&unix.POLLHUP != 0 {
			return
		}
		var n notification
		if !n.receive(s.listener) {
			continue // the caller has ended meanwhile
		}
		a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if s.meets(&n) {
			a.flags, a.errno = 0, -int32(watched[int(n.nr)].errno)
			if s.kill {
				s.victim.signal(syscall.SIGKILL)
			}
		}
		a.send(s.listener)
	}
}

// meets records a call on a file of the run, and reports whether it is the one of the fault.
func (s *supervisor) meets(n *notification) bool {
	w := watched[int(n.nr)]
	path := ""
	if w.path < 0 {
		path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", n.pid, n.args[0]))
	} else if path = textOf(n.pid, n.args[w.path]); path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	path, below := strings.CutPrefix(path, s.dir+"/")
	if !below {
		return false
	}
	p := filePoint{w.name, random.ReplaceAllString(path, "*"), 1}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.seen {
		if other.call == p.call && other.path == p.path {
			p.n++
		}
	}
	s.seen = append(s.seen, p)
	met := p == s.at
	s.hit = s.hit || met
	return met
}

// random matches the random part of a temporary name.
var random = regexp.MustCompile(`[A-Z2-7]{10,}`)

// textOf returns a text in the memory of a process.
func textOf(pid uint32, at uint64) string {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer memory.Close()
	b := make([]byte, 512)
	n, _ := memory.ReadAt(b, int64(at))
	text, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(text)
}

// series matches the names of the result files and figures of a comparison, of which there are many of a kind.
var series = regexp.MustCompile(`[a-z]+[-_]lat[-_][^/]*\.(json|svg|png)`)

// filePoints returns the recorded points: of the calls of a kind on a path the first and the last, and of the paths of a series
// the first. A run for a time has no last one that the next run has too.
func filePoints(seen []filePoint, timed bool) (all []filePoint) {
	most, paths := map[filePoint]int{}, map[filePoint]string{}
	for _, p := range seen {
		most[filePoint{p.call, p.path, 0}] = p.n
	}
	for _, p := range seen {
		kind := filePoint{p.call, series.ReplaceAllString(p.path, "*.$1"), 0}
		if paths[kind] == "" {
			paths[kind] = p.path
		}
		if p.path == paths[kind] && (p.n == 1 || p.n == most[filePoint{p.call, p.path, 0}] && !timed) {
			all = append(all, p)
		}
	}
	return all
}

// calls returns the calls until now, in their order.
func (s *supervisor) calls() []filePoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// injected reports whether the fault has been injected.
func (s *supervisor) injected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hit
}
