package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
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
