package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Limit is how long a statement may take: what it waits for may take 30 seconds, and it may
// wait several times.
const Limit = 3 * time.Minute

// beginLimit is how long a worker may take from its start to a statement, and between two.
const beginLimit = time.Minute

// Run runs the statements of a job, each of which may take so long, and hands over the result
// of each. An error says why there are no more.
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

// brokenWorker begins the reason of a statement that its worker has not survived.
const brokenWorker = "its process "

// runSome runs statements in one worker, and returns those that are left when that is of no
// more use.
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
			ID: left[0], Outcome: verbstest.Differs, Reason: brokenWorker + reason, Took: time.Since(begun), Said: w.lines(),
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
			reason := fmt.Sprintf("did not come to an end within %v", time.Since(begun).Round(time.Second))
			if !w.end() {
				reason += ", nor when it was killed: the kernel holds it"
			}
			return broken(reason)
		case <-ctx.Done():
			return left, context.Cause(ctx)
		}
	}
}

// howEnded tells how a process has ended that closed its events.
func (w *worker) howEnded() string {
	if !w.over(killLimit) {
		return "closed its output and goes on"
	}
	return "ended: " + w.cmd.ProcessState.String()
}

// lines are what the process has printed.
func (w *worker) lines() []string {
	text := strings.TrimSpace(w.said.String())
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// lastWords is the first line that the process has printed, behind a colon.
func (w *worker) lastWords() string {
	if lines := w.lines(); len(lines) > 0 {
		return ": " + lines[0]
	}
	return ""
}
