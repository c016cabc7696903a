package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Limit is the time limit of a statement. A statement may wait several times, for up to 30 seconds each.
const Limit = 3 * time.Minute

// beginLimit is the time limit of a worker before its first statement, and between two.
const beginLimit = time.Minute

// Run runs the statements of a job, each within the time limit, and calls done with each result. An
// error says why the remaining statements were not run.
func Run(ctx context.Context, job Job, limit time.Duration, done func(verbstest.Result)) error {
	for len(job.IDs) > 0 {
		left, err := runSome(ctx, job, limit, done)
		if err != nil {
			return err
		}
		job.IDs = left
	}
	return nil
}

// brokenWorker begins the reason of a statement whose worker has crashed or was killed.
const brokenWorker = "its process "

// runSome runs statements in one worker, and returns the remaining ones when the worker has ended.
func runSome(ctx context.Context, job Job, limit time.Duration, done func(verbstest.Result)) (left []string, err error) {
	w, err := startWorker(job)
	if err != nil {
		return nil, err
	}
	defer w.end()
	left = job.IDs
	running, begun := false, time.Now()
	timer := time.NewTimer(beginLimit)
	defer timer.Stop()
	broken := func(reason string) ([]string, error) {
		if !running {
			return nil, fmt.Errorf("run the statements: before %s the process %s", left[0], reason+w.lastWords())
		}
		done(verbstest.Result{
			ID: left[0], Outcome: verbstest.Differs, Reason: brokenWorker + reason, Took: time.Since(begun), Output: w.lines(),
		})
		return left[1:], nil
	}
	for {
		select {
		case e, open := <-w.events:
			switch {
			case !open && len(left) == 0:
				return nil, nil
			case !open:
				return broken(w.howEnded())
			case e.Error != "":
				return nil, errors.New(e.Error)
			case e.Result != nil:
				done(*e.Result)
				left, running = left[1:], false
				if ctx.Err() != nil {
					return left, context.Cause(ctx)
				}
				timer.Reset(beginLimit)
			default:
				running, begun = true, time.Now()
				timer.Reset(limit)
			}
		case <-timer.C:
			w.trace()
			reason := fmt.Sprintf("did not end within %v", time.Since(begun).Round(time.Second))
			if !w.end() {
				reason += ", nor when it was killed: the kernel holds it"
			}
			return broken(reason)
		case <-ctx.Done():
			return left, context.Cause(ctx)
		}
	}
}

// howEnded returns how a process ended that has closed its events.
func (w *worker) howEnded() string {
	if !w.over(killLimit) {
		return "closed its output and is still running"
	}
	return "ended: " + w.cmd.ProcessState.String()
}

// lines returns the output of the process.
func (w *worker) lines() []string {
	text := strings.TrimSpace(w.output.String())
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// lastWords returns the first line of the output of the process, after a colon.
func (w *worker) lastWords() string {
	if lines := w.lines(); len(lines) > 0 {
		return ": " + lines[0]
	}
	return ""
}
