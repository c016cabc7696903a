package oob

import "time"

// readAll takes what the peer sends, until it ends or fails.
func (c *Conn) readAll() {
	for {
		f, err := readFrame(c.in, c.admit)
		if err != nil {
			c.fail(whyGone(err, c.timing), err)
			return
		}
		switch f.kind {
		case kindData:
			c.box.put(f.step, f.payload)
		case kindAbort:
			c.aborted(f)
			return
		case kindBye:
			c.peerEnded()
			return
		}
	}
}

// admit refuses frames out of place, and payloads for which there is no room.
func (c *Conn) admit(h header, step string) error {
	switch h.kind {
	case kindData:
		return c.box.admit(step, h.payload)
	case kindHello, kindProof:
		return protocolErrorf("received a %v frame after the greeting", h.kind)
	}
	return nil
}

// aborted ends the connection with the peer's reason, which is cleaned because the peer may
// be anyone.
func (c *Conn) aborted(f frame) {
	c.lose(&PeerError{Peer: c.peer, Reason: cleanReason(string(f.payload)), Aborted: true, Class: f.step})
	_ = c.nc.Close()
}

// peerEnded lets this side, which may have all it needs, come to its own end. The peer waits
// for the stream to end, so that is done at once.
func (c *Conn) peerEnded() {
	close(c.ended)
	endStream(c.nc)
	limit := time.NewTimer(c.timing.silence)
	defer limit.Stop()
	select {
	case <-c.lost:
	case <-limit.C:
		c.fail("ended before this side did", nil)
	}
}
