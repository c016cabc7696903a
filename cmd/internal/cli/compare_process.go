package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/internal/subprocess"
)

// jobs starts processes for the runs of a comparison, one after another.
type jobs struct {
	builds []build    // in the order of the runs, which repeats
	begun  int        // number of runs
	lines  onceWriter // of their standard error
}

// A build is the program of the processes of runs, with its command line.
type build struct {
	path    string
	command []string
}

func newJobs(a *app, builds ...build) *jobs {
	return &jobs{builds: builds, lines: onceWriter{console: a.console, printed: map[string]bool{}}}
}

// makeRun makes a run in a process.
func (j *jobs) makeRun(ctx context.Context, run *compareRun) (ends bool, err error) {
	report, err := j.do(ctx, compareJob{Run: run}, nil)
	run.Failed, run.MaxRates = report.Failed, report.MaxRates
	return report.Ends, err
}

// serveRuns serves the first client that connects to a socket, each run of a comparison in a process.
func (a *app) serveRuns(ctx context.Context, o *options, socket *net.TCPListener) (err error) {
	builds, err := a.builds(o)
	if err != nil {
		return err
	}
	file, err := socket.File()
	if err != nil {
		return err
	}
	defer file.Close()
	j, run := newJobs(a, builds...), servedRun{}
	for {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		report, failed := j.do(ctx, compareJob{Serve: &run}, file)
		if err = errors.Join(err, failed); report.Ends {
			return err
		}
		run.Series = report.Series
	}
}

// jobError is the error of a process that has printed why it failed.
type jobError struct{ status int }

func (e *jobError) Error() string { return fmt.Sprintf("a run failed with status %d", e.status) }

// do starts a process for a job and waits for its end. Signals are passed on to it. It is in a process group
// of its own, so that it gets those of the terminal once.
func (j *jobs) do(ctx context.Context, job compareJob, socket *os.File) (report jobReport, err error) {
	report.Ends = true
	b := j.builds[j.begun%len(j.builds)]
	j.begun++
	input, err := json.Marshal(job)
	if err != nil {
		return report, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return report, err
	}
	defer read.Close()
	cmd := exec.Command(b.path)
	cmd.Args = b.command
	cmd.Env = append(os.Environ(), jobVariable+"=1")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &j.lines
	cmd.ExtraFiles = []*os.File{write}
	if socket != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, socket)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	err = subprocess.Start(cmd)
	write.Close()
	if err != nil {
		return report, fmt.Errorf("start the process of a run: %w", err)
	}
	release := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(signalOf(context.Cause(ctx))) })
	defer release()
	reported := json.NewDecoder(read).Decode(&report) == nil
	err = cmd.Wait()
	j.lines.end()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		return report, &printedError{&jobError{exit.ExitCode()}}
	case ctx.Err() != nil: // the signal came before the process handled it
		return jobReport{Ends: true}, context.Cause(ctx)
	case err != nil || !reported:
		return jobReport{Ends: true}, fmt.Errorf("the process of a run has ended: %v", cmd.ProcessState)
	}
	return report, nil
}

// signalOf returns the signal that has ended a context.
func signalOf(cause error) os.Signal {
	var by *interruptedError
	if errors.As(cause, &by) {
		for s, name := range signalNames {
			if name == by.signal {
				return s
			}
		}
	}
	return syscall.SIGTERM
}

// onceWriter prints each different line once, since the processes of several runs print the same.
type onceWriter struct {
	console *console
	printed map[string]bool
	part    []byte // of a line
}

func (w *onceWriter) Write(p []byte) (int, error) {
	w.part = append(w.part, p...)
	for {
		line, rest, whole := bytes.Cut(w.part, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		w.print(string(line))
		w.part = rest
	}
}

// end prints the rest of a process's output.
func (w *onceWriter) end() {
	if len(w.part) > 0 {
		w.print(string(w.part))
		w.part = nil
	}
}

func (w *onceWriter) print(line string) {
	if !w.printed[line] {
		w.printed[line] = true
		w.console.note("%s", line)
	}
}
