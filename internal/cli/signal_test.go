package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestFirstSignalCancelsAndSecondExits(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	came, done, status := make(chan os.Signal), make(chan struct{}), make(chan int, 1)
	go watchSignals(came, done, io.Discard, cancel, func(s int) { status <- s })
	came <- os.Interrupt
	<-ctx.Done()
	var why *interruptedError
	if !errors.As(context.Cause(ctx), &why) || why.signal != "SIGINT" {
		t.Errorf("cancelled because of %v", context.Cause(ctx))
	}
	came <- syscall.SIGTERM
	if s := <-status; s != StatusOther {
		t.Errorf("the second signal exits with %d", s)
	}
}

// TestEchoIsNoSecondSignal: timeout(1) sends its signal to the process and to its group. A later
// one is a second.
func TestEchoIsNoSecondSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, cancel := context.WithCancelCause(t.Context())
		came, done, status := make(chan os.Signal), make(chan struct{}), make(chan int, 1)
		go watchSignals(came, done, io.Discard, cancel, func(s int) { status <- s })
		came <- syscall.SIGTERM
		came <- syscall.SIGTERM
		synctest.Wait()
		select {
		case s := <-status:
			t.Errorf("the echo of the signal exits with %d", s)
		case <-time.After(echo):
			came <- syscall.SIGTERM
			<-status
		}
		close(done)
	})
}

// TestHangUpIsNoSecondSignal: a terminal that closes sends SIGHUP more than once,
// and the record is to be finished all the same.
func TestHangUpIsNoSecondSignal(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	came, done, ended := make(chan os.Signal), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		watchSignals(came, done, io.Discard, cancel, func(s int) { t.Errorf("exit with %d", s) })
	}()
	for range 3 {
		select {
		case came <- syscall.SIGHUP:
		case <-ended:
			t.Fatal("nobody waits for signals any more")
		}
	}
	if why := context.Cause(ctx); why == nil || why.Error() != "interrupted by SIGHUP" {
		t.Errorf("cancelled because of %v", why)
	}
	close(done)
	<-ended
}

func TestCatchSignals(t *testing.T) {
	ctx, stop := catchSignals(io.Discard, func(int) { t.Error("exit after one signal") })
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if err := context.Cause(ctx); err.Error() != "interrupted by SIGTERM" {
		t.Errorf("cancelled because of %v", err)
	}
}
