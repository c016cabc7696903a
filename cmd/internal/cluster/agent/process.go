package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/oob"
)

// A Program starts itself again for each task.
type Program struct {
	Command  []string // its command line
	Rail     int      // place of its device in -d
	Variable string   // the environment variable of a process with a task, which reads the task from its standard input
	Secret   []byte   // of the channel; nil: none
}

// A Job is what a process with a task reads.
type Job struct {
	Task   oob.ClusterTask
	Rail   int
	Secret []byte
}

// ReportFD is the descriptor to which a process with a task writes its outcomes, as JSON.
const ReportFD = 3

// process is a process with a task.
type process struct {
	cmd      *exec.Cmd
	outcomes chan oob.ClusterOutcome // closed at the end of its reports
	output   bytes.Buffer            // to be read when the process has ended
	ended    chan struct{}
}

// start starts a process for a task. It is in a process group of its own: signals of the terminal go to the agent.
func (p *Program) start(task oob.ClusterTask) (*process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(Job{task, p.Rail, p.Secret})
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &process{cmd: exec.Command(binary), outcomes: make(chan oob.ClusterOutcome, 2), ended: make(chan struct{})}
	c.cmd.Args, c.cmd.Env = p.Command, append(os.Environ(), p.Variable+"=1")
	c.cmd.Stdin, c.cmd.Stderr = bytes.NewReader(input), &c.output
	c.cmd.ExtraFiles = []*os.File{write}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.WaitDelay = time.Second
	err = subprocess.Start(c.cmd)
	write.Close()
	if err != nil {
		read.Close()
		return nil, fmt.Errorf("start the process of a test: %w", err)
	}
	go c.listen(read)
	go func() {
		defer close(c.ended)
		_ = c.cmd.Wait() // ProcessState has how it ended
	}()
	return c, nil
}

// listen hands on the outcomes, of which a process has two at most.
func (c *process) listen(read *os.File) {
	defer read.Close()
	defer close(c.outcomes)
	decoder := json.NewDecoder(read)
	for range cap(c.outcomes) {
		var o oob.ClusterOutcome
		if decoder.Decode(&o) != nil {
			return
		}
		c.outcomes <- o
	}
}

// next returns the next outcome, and kills a process that has none within the limit.
func (c *process) next(limit time.Duration, stop <-chan struct{}) oob.ClusterOutcome {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case o, open := <-c.outcomes:
		if open {
			return o
		}
		return c.broken()
	case <-timer.C:
		text := fmt.Sprintf("the process of the test did not end within %v and was killed", limit)
		if !c.end() {
			text += "; it has not ended since: the kernel holds it, as a hung driver does"
		}
		return oob.ClusterOutcome{Error: text}
	case <-stop:
		return oob.ClusterOutcome{Error: "the run was ended"}
	}
}

// endLimit is the time within which a killed process must end; otherwise the kernel holds it.
const endLimit = 5 * time.Second

// end kills the process, and reports whether it has ended.
func (c *process) end() bool {
	_ = c.cmd.Process.Kill() // fails if it has ended
	return c.over()
}

func (c *process) over() bool {
	select {
	case <-c.ended:
		return true
	case <-time.After(endLimit):
		return false
	}
}

// broken returns the outcome of a process that has reported nothing.
func (c *process) broken() oob.ClusterOutcome {
	if !c.end() {
		return oob.ClusterOutcome{Error: "the process of the test has closed its report and cannot be killed: the kernel holds it"}
	}
	text := "the process of the test has ended: " + c.cmd.ProcessState.String()
	if words := strings.TrimSpace(c.output.String()); words != "" {
		text += ": " + strings.ReplaceAll(words, "\n", "; ")
	}
	return oob.ClusterOutcome{Error: text}
}
