package harness

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/oob"
)

// halt is the word that every spin looks at, so that a dead peer, a signal or
// the peer's end of a measurement ends it at once.
type halt struct {
	word atomic.Uint32

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

// watch turns the end of ctx and the loss of the peer into a halt. It returns
// what ends the watch.
func (h *halt) watch(ctx context.Context, x oob.Peer) (stop func()) {
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
