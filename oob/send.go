package oob

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// chunkSize is how much of a frame has to leave within one deadline: a long frame on a slow
// line is no death while it moves.
const chunkSize = 64 << 10

// errEnded says that the peer has said bye while this side has not.
var errEnded = errors.New("peer ended")

// send writes a frame. When it fails the connection is lost, and the error says why.
func (c *Conn) send(f frame) error {
	c.writing <- struct{}{}
	err := c.over()
	if err == nil {
		if err = c.write(f); err != nil {
			err = c.unsent(err)
		}
	}
	<-c.writing
	return err
}

// over tells whether there is nobody left to write to.
func (c *Conn) over() error {
	select {
	case <-c.lost:
		return c.Err()
	case <-c.ended:
		return errEnded
	default:
		return nil
	}
}

// write writes a frame in chunks, each with its deadline. The caller has filled c.writing.
func (c *Conn) write(f frame) error {
	b := f.appendTo(make([]byte, 0, headerSize+len(f.step)+len(f.payload)))
	for len(b) > 0 {
		if err := c.nc.SetWriteDeadline(time.Now().Add(c.timing.silence)); err != nil {
			return err
		}
		n, err := c.nc.Write(b[:min(len(b), chunkSize)])
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// unsent finds out why a write has failed. The reader knows it better, because the reason of
// a peer that has closed may be among what it sent before; it has until the limit to silence.
func (c *Conn) unsent(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.fail(fmt.Sprintf("has taken no data for %v", c.timing.silence), err)
		return c.Err()
	}
	limit := time.NewTimer(c.timing.silence)
	defer limit.Stop()
	select {
	case <-c.lost:
	case <-c.ended:
		return errEnded
	case <-limit.C:
		c.fail(whyGone(err, c.timing), err)
	}
	return c.Err()
}

// pingAll proves to the peer that this side lives, until the connection is lost or ended.
func (c *Conn) pingAll() {
	tick := time.NewTicker(c.timing.ping)
	defer tick.Stop()
	for {
		select {
		case <-c.lost:
			return
		case <-c.ended:
			return
		case <-tick.C:
		}
		if c.send(frame{kind: kindPing}) != nil {
			return
		}
	}
}
