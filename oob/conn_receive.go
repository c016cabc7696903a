package oob

import "time"

// readAll reads frames until the peer ends or the connection fails.
func (c *Conn) readAll() {
	for {
		f, err := readFrame(c.in, c.admit)
		if err != nil {
			c.fail(whyGone(err, c.timing), err)
			return
		}
		switch f.kind {
		case kindData:
			c.box.put(f.name, f.payload)
		case kindAbort:
			c.aborted(f)
			return
		case kindBye:
			c.peerEnded()
			return
		}
	}
}

// admit refuses frames that are out of order, and payloads for which there is no room.
func (c *Conn) admit(h header, name string) error {
	switch h.kind {
	case kindData:
		return c.box.admit(name, h.payload)
	case kindHello, kindProof:
		return protocolErrorf("received a %v frame after the greeting", h.kind)
	}
	return nil
}

// aborted ends the connection with the peer's reason, which it makes printable.
func (c *Conn) aborted(f frame) {
	c.lose(&PeerError{Peer: c.peer, Reason: cleanReason(string(f.payload)), Aborted: true, Class: f.name})
	_ = c.nc.Close()
}

// peerEnded gives this side time to close in order too. It ends the stream at once, because the peer
// waits for that.
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
