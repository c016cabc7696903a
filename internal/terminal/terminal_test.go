package terminal

import (
	"os"
	"testing"

	"github.com/ibperf/ibperf/internal/printable"
)

// A pipe is no terminal, also through a Writer of package printable.
func TestPipeIsNoTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(); _ = w.Close() }()
	if Is(w) || Is(printable.NewWriter(w)) || Width(printable.NewWriter(w)) != 0 {
		t.Error("a pipe is taken for a terminal")
	}
}

// The file of a Writer is found behind it.
func TestFileBehindAWriter(t *testing.T) {
	if fileOf(printable.NewWriter(os.Stdout)) != os.Stdout {
		t.Error("the file behind a Writer was not found")
	}
}
