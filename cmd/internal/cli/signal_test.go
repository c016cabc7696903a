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
	received, done, status := make(chan os.Signal), make(chan struct{}), make(chan int, 1)
	go watchSignals(received, done, io.Discard, cancel, func(s int) { status <- s })
	received <- os.Interrupt
	<-ctx.Done()
	var why *interruptedError
	if !errors.As(context.Cause(ctx), &why) || why.signal != "SIGINT" {
		t.Errorf("cancelled because of %v", context.Cause(ctx))
	}
	received <- syscall.SIGTERM
	if s := <-status; s != StatusOther {
		t.Errorf("the second signal exits with %d", s)
	}
}

// timeout(1) sends its signal to the process and to its group, which counts as one signal. The same signal
// later is a second one.
func TestEchoIsNoSecondSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, cancel := context.WithCancelCause(t.Context())
		received, done, status := make(chan os.Signal), make(chan struct{}), make(chan int, 1)
		go watchSignals(received, done, io.Discard, cancel, func(s int) { status <- s })
		received <- syscall.SIGTERM
		received <- syscall.SIGTERM
		synctest.Wait()
		select {
		case s := <-status:
			t.Errorf("the echo of the signal exits with %d", s)
		case <-time.After(echo):
			received <- syscall.SIGTERM
			<-status
		}
		close(done)
	})
}

// A closing terminal sends SIGHUP several times. The result file must still be finished.
func TestHangUpIsNoSecondSignal(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	received, done, ended := make(chan os.Signal), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		watchSignals(received, done, io.Discard, cancel, func(s int) { t.Errorf("exit with %d", s) })
	}()
	for range 3 {
		select {
		case received <- syscall.SIGHUP:
		case <-ended:
			t.Fatal("watchSignals has returned")
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
