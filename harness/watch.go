package harness

import (
	"context"
	"errors"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// abandon has the device wait for the peer no longer, in pending calls and when objects are closed, if err says
// that the run was interrupted or that the peer is lost. A peer that has aborted the run still answers.
func abandon(device verbs.Context, err error) {
	var lost *oob.PeerError
	silent := errors.As(err, &lost) && !lost.Aborted
	if d, ok := device.(verbs.PeerAbandoner); ok && (silent || errors.Is(err, ErrInterrupted)) {
		d.AbandonPeers()
	}
}

// watch halts the run, and has the device wait for the peer no longer, when ctx ends or the peer is lost. It
// returns a function that ends the watch.
func watch(ctx context.Context, h *halt.Halt, peer oob.Peer, device verbs.Context) (stop func()) {
	quit := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			abandon(device, ErrInterrupted)
			h.Set(ErrInterrupted)
		case <-peer.Lost():
			abandon(device, peer.Err())
			h.Set(peer.Err())
		case <-quit:
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
