package loop

import (
	"bytes"
	"testing"
)

// A pattern is repeated to the end of the memory, and no pattern changes nothing.
func TestFill(t *testing.T) {
	b := make([]byte, 10)
	fill(b, []byte{1, 2, 3})
	if !bytes.Equal(b, []byte{1, 2, 3, 1, 2, 3, 1, 2, 3, 1}) {
		t.Errorf("%v", b)
	}
	fill(b, nil)
	if b[0] != 1 {
		t.Error("no pattern is a pattern")
	}
}
