//go:build linux

package subprocess

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/emulation"
	"golang.org/x/sys/unix"
)

// limit is the time that a test waits for what takes a moment.
const limit = 20 * time.Second

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}

// inEndingThread calls f in a thread that ends then. The first thread of a process never does: it
// is kept busy meanwhile.
func inEndingThread(f func()) {
	runtime.LockOSThread() // and never unlocked: the thread ends
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go inEndingThread(func() {
		f()
		close(done)
	})
	<-done
}

// TestOutlivesTheCallersThread: a process lives on when the thread is gone in which Start was called.
func TestOutlivesTheCallersThread(t *testing.T) {
	emulation.SkipFork(t)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started, thread := make(chan error), 0
	go inEndingThread(func() {
		thread = unix.Gettid()
		started <- Start(cmd)
	})
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	await(t, "the end of the thread", func() bool { return missing(fmt.Sprintf("/proc/self/task/%d", thread)) })
	if _, err := in.Write([]byte("there\n")); err != nil {
		t.Error(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "there\n" {
		t.Errorf("the process answered %q, %v", line, err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestEndsWithUs: a process that was started by one that is killed is killed too.
func TestEndsWithUs(t *testing.T) {
	emulation.SkipFork(t)
	const variable = "IBPERF_TEST_STARTS"
	if os.Getenv(variable) != "" {
		cmd := exec.Command("sleep", "100")
		if err := Start(cmd); err != nil {
			t.Fatal(err)
		}
		fmt.Println(cmd.Process.Pid)
		select {}
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestEndsWithUs$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Error(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	await(t, "the end of the process", func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || len(state) == 0 || processState(state) == 'Z'
	})
}

// processState returns the state in the text of /proc/PID/stat, which stands behind the name.
func processState(stat []byte) byte {
	for i := len(stat) - 1; i > 1; i-- {
		if stat[i] == ')' {
			return stat[i+2]
		}
	}
	return 0
}
