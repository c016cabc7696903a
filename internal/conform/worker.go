package conform

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// workerVariable is the environment variable of a worker process.
const workerVariable = "IBPERF_CONFORM_WORKER"

// event is a message from a worker.
type event struct {
	Begin  string            `json:"begin,omitempty"` // id of the statement that begins
	Result *verbstest.Result `json:"result,omitempty"`
	Error  string            `json:"error,omitempty"` // why the worker runs nothing
}

// Child runs the process as a worker or as the peer of a statement if it was started as one, and then
// does not return. The program's main calls it first.
func Child() {
	verbstest.Child()
	if os.Getenv(workerVariable) == "" {
		return
	}
	os.Unsetenv(workerVariable)
	if err := work(os.Stdin, os.NewFile(3, "events")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// work reads a job and runs it.
func work(in io.Reader, out io.Writer) error {
	events := json.NewEncoder(out)
	var job Job
	err := json.NewDecoder(in).Decode(&job)
	var target verbstest.Target
	if err == nil {
		target, err = job.Target()
	}
	if err != nil {
		return events.Encode(event{Error: err.Error()})
	}
	for _, id := range job.IDs {
		if err := events.Encode(event{Begin: id}); err != nil {
			return err
		}
		result := verbstest.Check(target, id)
		if err := events.Encode(event{Result: &result}); err != nil {
			return err
		}
	}
	return nil
}

// worker is a worker process, seen from its parent.
type worker struct {
	cmd    *exec.Cmd
	events chan event // closed when the process has ended its events
	output tail
	ended  chan struct{} // closed when the process has ended
	left   chan struct{} // closed when its events are no longer read
	leave  sync.Once
}

// startWorker starts this program again for a job.
func startWorker(job Job) (*worker, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdin, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd: exec.Command(binary), events: make(chan event), ended: make(chan struct{}), left: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), workerVariable+"=1")
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = stdin, &w.output, &w.output
	w.cmd.ExtraFiles = []*os.File{out}
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the terminal's signals go to the program only
	w.cmd.WaitDelay = time.Second
	err = subprocess.Start(w.cmd)
	stdin.Close()
	out.Close()
	if err != nil {
		in.Close()
		input.Close()
		return nil, fmt.Errorf("start the process that runs the statements: %w", err)
	}
	go func() {
		defer input.Close()
		_ = json.NewEncoder(input).Encode(job) // a worker that does not read reports an error or ends
	}()
	go func() {
		defer in.Close()
		w.listen(in)
	}()
	go func() {
		defer close(w.ended)
		_ = w.cmd.Wait() // ProcessState has how it ended
	}()
	return w, nil
}

// listen forwards the events of the process.
func (w *worker) listen(in io.Reader) {
	defer close(w.events)
	decoder := json.NewDecoder(in)
	for {
		var e event
		if decoder.Decode(&e) != nil {
			return
		}
		select {
		case w.events <- e:
		case <-w.left:
			return
		}
	}
}

// killLimit is the time within which a killed process must end; otherwise the kernel holds it.
const killLimit = 10 * time.Second

// end kills the process and reports whether it has ended.
func (w *worker) end() bool {
	w.leave.Do(func() { close(w.left) })
	w.cmd.Process.Kill()
	return w.over(killLimit)
}

// over reports whether the process ends within a time.
func (w *worker) over(limit time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// trace ends the process with the stacks of its goroutines, by SIGQUIT.
func (w *worker) trace() {
	w.cmd.Process.Signal(syscall.SIGQUIT)
	w.over(killLimit)
}

// tail holds the first and the last part of a process's output.
type tail struct {
	mu    sync.Mutex
	first []byte
	last  []byte
}

// tailSize is the size of each part in bytes.
const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(b), tailSize-len(t.first))
	t.first = append(t.first, b[:n]...)
	t.last = append(t.last, b[n:]...)
	t.last = t.last[max(0, len(t.last)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.first) + string(t.last)
}
