package harness

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
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

// abandon tells a device that the peer is lost, if the error says so: gone or silent, and not at
// its own end. The embedded device waits for the peer's process otherwise, in calls that are under
// way and when objects are closed.
func abandon(device verbs.Context, err error) {
	var lost *oob.PeerError
	if d, ok := device.(interface{ AbandonPeers() }); ok && errors.As(err, &lost) && !lost.Aborted {
		d.AbandonPeers()
	}
}

// watch turns the end of ctx and the loss of the peer into a halt, and tells the device of the
// loss. It returns what ends the watch.
func (h *halt) watch(ctx context.Context, x oob.Peer, device verbs.Context) (stop func()) {
	quit := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			h.set(ErrInterrupted)
		case <-x.Lost():
			abandon(device, x.Err())
			h.set(x.Err())
		case <-quit:
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
