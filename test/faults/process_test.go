package faults

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/test/printed"
	"github.com/ibperf/ibperf/test/stub"
)

// bin is the folder of the built programs.
var bin string

func TestMain(m *testing.M) {
	if os.Getenv(superviseVariable) != "" {
		fmt.Fprintln(os.Stderr, "start under supervision:", execSupervised(os.Args[1:]))
		os.Exit(1)
	}
	os.Exit(buildAndRun(m))
}

// buildAndRun builds the programs, without the race detector even if the tests have it.
func buildAndRun(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "ibperf-faults-bin-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/ib_...")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return leak.Run(func() int {
		defer stub.Remove()
		return m.Run()
	})
}

// side is a client or a server.
type side struct {
	name     string
	cmd      *exec.Cmd
	out, err printed.Output
	ended    chan struct{}
	lost     atomic.Bool // killed or stopped by the fault
}

// launch starts a program in a folder.
func launch(name, dir string, env []string, supervisor *supervisor, program string, args ...string) (*side, error) {
	s := &side{name: name, cmd: exec.Command(filepath.Join(bin, program), args...), ended: make(chan struct{})}
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = dir, &s.out, &s.err
	s.cmd.Env = append(append(os.Environ(), "TMPDIR="+dir), env...)
	start := subprocess.Start
	if supervisor != nil {
		supervisor.victim = s
		start = supervisor.start
	}
	if err := start(s.cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.cmd, err)
	}
	go func() {
		_ = s.cmd.Wait() // the state has the status
		close(s.ended)
	}()
	return s, nil
}

// signal sends a signal to the side, which the fault has chosen as its victim.
func (s *side) signal(sig syscall.Signal) {
	s.lost.Store(true)
	_ = s.cmd.Process.Signal(sig) // it may have ended
}

func (s *side) exited() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// end kills the side if it runs.
func (s *side) end() {
	if !s.exited() {
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// errLost is the error of a side that the fault has killed or stopped.
var errLost = errors.New("killed or stopped by the fault")

// wait returns the exit status. The time that the process's threads wait for a CPU does not count.
func (s *side) wait(limit time.Duration) (int, error) {
	begun := time.Now()
	for !s.lost.Load() {
		delay := testclock.Longest(testclock.RunDelays(s.cmd.Process.Pid))
		left := limit + delay - time.Since(begun)
		if left <= 0 {
			return 0, fmt.Errorf("the %s has not ended within %v", s.name, limit)
		}
		select {
		case <-s.ended:
			if !s.lost.Load() {
				return s.cmd.ProcessState.ExitCode(), nil
			}
		case <-time.After(min(left, 100*time.Millisecond)):
		}
	}
	return 0, errLost
}

// message returns what the side has printed to stderr.
func (s *side) message() string { return s.err.String() }

// lostRank matches the line with which rank 0 tells that it has lost rank 1.
var lostRank = regexp.MustCompile(`^rank 1 (\(.*\) is lost: |did not appear )`)

// whereFilesAre matches the end of an error message that says where the results are.
var whereFilesAre = regexp.MustCompile(`: the (results of \d+ tests|new files) are in `)

// complaints returns the number of lines on stderr with which the program tells of its end.
func (s *side) complaints() (n int) {
	name := filepath.Base(s.cmd.Path) + ": "
	for line := range strings.Lines(s.err.String()) {
		if strings.HasPrefix(line, name) && !strings.Contains(line, "rejected a connection") && !whereFilesAre.MatchString(line) || lostRank.MatchString(line) {
			n++
		}
	}
	return n
}

var crash = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ \[|SIG[A-Z]+: )`)

// clean returns an error if the side has printed what only a crash prints.
func (s *side) clean() error {
	if text := s.out.String() + s.err.String(); crash.MatchString(text) {
		return fmt.Errorf("the %s has crashed: %s", s.name, text)
	}
	return nil
}

// awaitPort returns the address of a server when it listens.
func awaitPort(server *side, ready string) (string, error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if port, err := os.ReadFile(ready); err == nil {
			return net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(port))), nil
		}
		if server.exited() {
			return "", errEnded
		}
	}
	return "", fmt.Errorf("the server does not listen after %v", patience)
}

// listens waits until a server listens at an address, which /proc/net/tcp has in hexadecimal digits.
func (s *side) listens(addr string) error {
	_, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	listener := regexp.MustCompile(fmt.Sprintf(`:%04X \S+ 0A `, n))
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			if text, err := os.ReadFile(table); err == nil && listener.Match(text) {
				return nil
			}
		}
		if s.exited() {
			return errEnded
		}
	}
	return fmt.Errorf("the %s does not listen after %v", s.name, patience)
}

// errEnded is the error of a server that has ended before it listened.
var errEnded = errors.New("the server has ended before it listened")

// patience is the deadline of what has no promised limit.
const patience = 2 * time.Minute
