package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// interruptedError says which signal ended the run.
type interruptedError struct{ signal string }

func (e *interruptedError) Error() string { return "interrupted by " + e.signal }

// endLimit is how long an interrupted run may take to finish its record. With
// what comes after it that makes less than two seconds.
const endLimit = 1800 * time.Millisecond

// echo is how soon after the first signal the same one is no second: timeout(1) and shells send
// it to the process and then to its group.
const echo = 200 * time.Millisecond

var signalNames = map[os.Signal]string{
	os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP",
}

// catchSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels,
// with an interruptedError as the cause. A second SIGINT or SIGTERM, or an end that
// takes too long, exits at once; the same signal again within [echo] is not a second one. Stop
// restores what was before.
func catchSignals(stderr io.Writer, exit func(status int)) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	came := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, and so it stays
		signal.Notify(came, syscall.SIGHUP)
	}
	go watchSignals(came, done, stderr, cancel, exit)
	return ctx, func() {
		signal.Stop(came)
		close(done)
		cancel(nil)
	}
}

func watchSignals(came <-chan os.Signal, done <-chan struct{}, stderr io.Writer,
	cancel context.CancelCauseFunc, exit func(int)) {
	var first os.Signal
	select {
	case first = <-came:
		cancel(&interruptedError{signalNames[first]})
	case <-done:
		return
	}
	began := time.Now()
	limit := time.NewTimer(endLimit)
	defer limit.Stop()
	for {
		select {
		case s := <-came:
			if s == syscall.SIGHUP { // a terminal that closes sends more than one
				continue
			}
			if s == first && time.Since(began) < echo {
				continue
			}
			fmt.Fprintf(stderr, "second signal, %s: exit at once\n", signalNames[s])
			exit(StatusOther)
		case <-limit.C:
			fmt.Fprintf(stderr, "the run has not ended %v after the signal: exit at once\n", endLimit)
			exit(StatusOther)
		case <-done:
		}
		return
	}
}
