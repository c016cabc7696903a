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

// interruptedError is the error of a run that a signal ended.
type interruptedError struct{ signal string }

func (e *interruptedError) Error() string { return "interrupted by " + e.signal }

// endLimit is the time within which an interrupted run must finish its result file. With the exit after
// it a program ends within two seconds.
const endLimit = 1800 * time.Millisecond

// echo is the time after the first signal within which the same signal does not count as a second one:
// timeout(1) and shells send a signal to the process and then to its group.
const echo = 200 * time.Millisecond

var signalNames = map[os.Signal]string{
	os.Interrupt: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP",
}

// catchSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels,
// with an interruptedError as the cause. A second SIGINT or SIGTERM, or an end that
// takes longer than [endLimit], exits at once. The same signal again within [echo] is not a second
// one. Stop restores the previous signal handling.
func catchSignals(stderr io.Writer, exit func(status int)) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	received := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(received, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(received, syscall.SIGHUP)
	}
	go watchSignals(received, done, stderr, cancel, exit)
	return ctx, func() {
		signal.Stop(received)
		close(done)
		cancel(nil)
	}
}

func watchSignals(received <-chan os.Signal, done <-chan struct{}, stderr io.Writer,
	cancel context.CancelCauseFunc, exit func(int)) {
	var first os.Signal
	select {
	case first = <-received:
		cancel(&interruptedError{signalNames[first]})
	case <-done:
		return
	}
	began := time.Now()
	limit := time.NewTimer(endLimit)
	defer limit.Stop()
	for {
		select {
		case s := <-received:
			if s == syscall.SIGHUP { // a closing terminal sends several
				continue
			}
			if s == first && time.Since(began) < echo {
				continue
			}
			fmt.Fprintf(stderr, "second signal, %s: exiting at once\n", signalNames[s])
			exit(StatusOther)
		case <-limit.C:
			fmt.Fprintf(stderr, "the run has not ended %v after the signal: exiting at once\n", endLimit)
			exit(StatusOther)
		case <-done:
		}
		return
	}
}
