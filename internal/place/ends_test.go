//go:build linux

package place

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestEndsOfBlocksComeLast has one CPU place messages over and over, each filled with its
// number, while another one reads blocks backwards: nothing in a block may be older than
// its last word. Nobody waits for anybody, so halves of a store would be seen as well.
func TestEndsOfBlocksComeLast(t *testing.T) {
	if !InOrder {
		t.Skip("no order is promised on " + runtime.GOARCH)
	}
	const size, perBlock = 4 * block, block / 8
	dst, watched := mapTwice(t, size)
	seen := words(watched)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		src := make([]byte, size)
		for m := uint64(1); !stop.Load(); m++ {
			for i := 0; i < size; i += 8 {
				binary.LittleEndian.PutUint64(src[i:], m)
			}
			Ordered(dst, src)
		}
	}()
	defer func() { stop.Store(true); <-done }()
	changes, last := 0, uint64(0)
	for end := time.Now().Add(budget); time.Now().Before(end); {
		for from := 0; from < len(seen); from += perBlock {
			marker := seen[from+perBlock-1].Load()
			for i := from + perBlock - 2; i >= from; i-- {
				if m := seen[i].Load(); m < marker {
					t.Fatalf("word %d was of message %d when the last one of its block was of message %d", i, m, marker)
				}
			}
			if marker != last {
				changes++
			}
			last = marker
		}
	}
	t.Logf("the blocks were looked at %d times after they had changed", changes)
}
