package harness

import (
	"context"
	"errors"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

// abandon has the devices wait for the peer no longer, in pending calls and when objects are closed, if err says
// that the run was interrupted or that the peer is lost. A peer that has aborted the run still answers.
func abandon(devices []DevicePort, err error) {
	var lost *oob.PeerError
	silent := errors.As(err, &lost) && !lost.Aborted
	if !silent && !errors.Is(err, ErrInterrupted) {
		return
	}
	for _, d := range devices {
		if d, ok := d.Context.(verbs.PeerAbandoner); ok {
			d.AbandonPeers()
		}
	}
}

// watch halts the run, and has the devices wait for the peer no longer, when ctx ends or the peer is lost. It
// returns a function that ends the watch.
func watch(ctx context.Context, h *halt.Halt, peer oob.Peer, devices []DevicePort) (stop func()) {
	quit := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			abandon(devices, ErrInterrupted)
			h.Set(ErrInterrupted)
		case <-peer.Lost():
			abandon(devices, peer.Err())
			h.Set(peer.Err())
		case <-quit:
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
