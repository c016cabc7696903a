package oob

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// chunkSize is the number of bytes that must be written within one deadline, so that a long frame on a
// slow connection does not count as a loss while it moves.
const chunkSize = 64 << 10

// errEnded is the error of a peer that has sent bye while this side has not.
var errEnded = errors.New("peer ended")

// send writes a frame. When it fails, the connection is lost, and the error is the reason.
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

// over returns the error that ended the connection, nil while it can be written to.
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
	b := f.appendTo(make([]byte, 0, headerSize+len(f.name)+len(f.payload)))
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

// unsent returns the reason of a failed write. It waits up to the silence limit for the reader, because
// a peer that has closed may have sent its reason before.
func (c *Conn) unsent(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.fail(fmt.Sprintf("has accepted no data for %v", c.timing.silence), err)
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

// pingAll sends pings until the connection is lost or ended.
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
