package main

import (
	"fmt"
	"io"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/terminal"
)

// progress is a line on a terminal that names the step of the work.
type progress struct {
	terminal *printable.Writer // nil: stderr is no terminal
}

func newProgress(stderr io.Writer) progress {
	if w, ok := stderr.(*printable.Writer); ok && terminal.Is(w) {
		return progress{w}
	}
	return progress{}
}

// step shows the next step in place of the last one.
func (p progress) step(format string, args ...any) {
	if p.terminal != nil {
		_ = p.terminal.ClearLine() // the next write fails as well
		fmt.Fprintf(p.terminal, format, args...)
	}
}

// end removes the line.
func (p progress) end() { p.step("") }
