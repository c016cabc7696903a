// Package halt stops the busy loops of a run early.
package halt

import (
	"sync"
	"sync/atomic"
)

// Halt is a stop flag that every busy loop polls, so that a lost peer, a signal or a failure of
// either side ends the loop at once. It keeps the reason.
type Halt struct {
	flag atomic.Uint32

	mu   sync.Mutex
	err  error
	done chan struct{} // closed with the first reason
}

// New returns a halt that is not set.
func New() *Halt { return &Halt{done: make(chan struct{})} }

// Set ends all loops, with err as the reason unless there is an earlier one.
func (h *Halt) Set(err error) {
	h.mu.Lock()
	if h.err == nil {
		h.err = err
		close(h.done)
	}
	h.mu.Unlock()
	h.flag.Store(1)
}

// On reports whether loops have to end.
func (h *Halt) On() bool { return h.flag.Load() != 0 }

// Halted returns a channel that is closed once loops have to end.
func (h *Halt) Halted() <-chan struct{} { return h.done }

// Reason returns why loops have to end, or nil.
func (h *Halt) Reason() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}
