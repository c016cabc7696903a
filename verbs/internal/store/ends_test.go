//go:build linux

package store

import (
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestEndsOfBlocksComeLast lets one CPU store messages repeatedly, each filled with its number,
// while another one reads blocks backwards: no word of a block may be older than the block's last
// word. Neither side waits for the other, so halves of a store would be observed too.
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
					t.Fatalf("word %d was from message %d when the last word of its block was from message %d", i, m, marker)
				}
			}
			if marker != last {
				changes++
			}
			last = marker
		}
	}
	t.Logf("%d changes of blocks were observed", changes)
}
