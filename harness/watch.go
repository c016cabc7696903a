package harness

import (
	"context"
	"errors"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// abandon notifies the device that the peer is lost, if err says so and the peer has not aborted the
// run itself. Without the notice the embedded device waits for the peer's process, in pending calls
// and when objects are closed.
func abandon(device verbs.Context, err error) {
	var lost *oob.PeerError
	if d, ok := device.(verbs.PeerAbandoner); ok && errors.As(err, &lost) && !lost.Aborted {
		d.AbandonPeers()
	}
}

// watch halts the run when ctx ends or the peer is lost, and notifies the device of the loss. It
// returns a function that ends the watch.
func watch(ctx context.Context, h *halt.Halt, peer oob.Peer, device verbs.Context) (stop func()) {
	quit := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
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
