package harness

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// halt is the word that every spin looks at, so that a dead peer, a signal or
// the peer's end of a measurement ends it at once.
type halt struct {
	word   atomic.Uint32
	target atomic.Uint64 // messages of the current measurement, once the peer has said how many

	mu   sync.Mutex
	err  error
	told chan struct{} // closed with the first reason
}

func newHalt() *halt { return &halt{told: make(chan struct{})} }

// set ends all loops; the first reason counts.
func (h *halt) set(err error) {
	h.mu.Lock()
	if h.err == nil {
		h.err = err
		close(h.told)
	}
	h.mu.Unlock()
	h.word.Store(1)
}

// on tells whether loops have to end.
func (h *halt) on() bool { return h.word.Load() != 0 }

// reason returns why loops had to end, or nil.
func (h *halt) reason() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// begin starts a measurement of unknown length.
func (h *halt) begin() { h.target.Store(math.MaxUint64) }

// watch turns the end of ctx and the loss of the peer into a halt. It returns
// what ends the watch.
func (h *halt) watch(ctx context.Context, x Exchanger) (stop func()) {
	quit := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			h.set(ErrInterrupted)
		case <-x.Lost():
			h.set(x.Err())
		case <-quit:
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// lastMessages is how long messages may stay out after the sender has seen all
// of them completed.
const lastMessages = 5 * time.Second
