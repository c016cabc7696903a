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

// workerVariable says in the environment of a process that it is a worker.
const workerVariable = "IBPERF_CONFORM_WORKER"

// event is what a worker tells.
type event struct {
	Begin  string            `json:"begin,omitempty"` // id of the statement that begins
	Result *verbstest.Result `json:"result,omitempty"`
	Error  string            `json:"error,omitempty"` // why it does nothing
}

// Child makes the process a worker, or the peer of a statement, if it was started as one, and
// then does not return. The program's main calls it first.
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

// work does the job that it reads.
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

// worker is the process, seen from the one that has started it.
type worker struct {
	cmd    *exec.Cmd
	events chan event // closed when the process has no more to tell
	said   tail
	ended  chan struct{} // closed when the process has ended
	left   chan struct{} // closed when nobody wants its events any more
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
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = stdin, &w.said, &w.said
	w.cmd.ExtraFiles = []*os.File{out}
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of a terminal are for the program
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
		_ = json.NewEncoder(input).Encode(job) // a worker that does not read says why, or ends
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

// listen passes events on.
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

// killLimit is how long a process may take to end once it is killed: longer, and the kernel
// holds it.
const killLimit = 10 * time.Second

// end kills the process and reports whether it has ended.
func (w *worker) end() bool {
	w.leave.Do(func() { close(w.left) })
	w.cmd.Process.Kill()
	return w.over(killLimit)
}

// over waits for the end of the process.
func (w *worker) over(limit time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// trace makes the process end by telling where its goroutines are, if it can.
func (w *worker) trace() {
	w.cmd.Process.Signal(syscall.SIGQUIT)
	w.over(killLimit)
}

// tail keeps the first of what a process prints, and the last.
type tail struct {
	mu    sync.Mutex
	first []byte
	last  []byte
}

// tailSize is how much of each is kept.
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
