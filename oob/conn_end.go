package oob

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Close ends the connection in order, after the last exchange. It returns nil unless the peer was
// lost before. A peer that still waits in [Conn.Exchange] gets an error there;
// another peer gets none if it closes within a few seconds too.
func (c *Conn) Close() error {
	c.endBy(frame{kind: kindBye}, ErrClosed)
	if err := c.Err(); !errors.Is(err, ErrClosed) {
		return err
	}
	return nil
}

// Abort sends the peer the reason for which this side ends the run, and closes. It takes at most a
// second. The class is for the peer's program, a word of at most [MaxClass] letters a to z; any
// other text is no class. The reason is for people, and continues "ended the run: "; it is made one
// line of at most [MaxReason] printable bytes.
func (c *Conn) Abort(class, reason string) {
	c.endBy(abortFrame(class, reason), fmt.Errorf("%w: %s", ErrClosed, cleanReason(reason)))
}

// Cut ends the connection at once. It sends the peer the reason, as Abort does, only if the socket takes it
// without delay, and does not wait for the peer. It is for peers that are lost by all appearance, or unwanted.
func (c *Conn) Cut(class, reason string) {
	if c.lose(fmt.Errorf("%w: %s", ErrClosed, cleanReason(reason))) {
		limit := time.AfterFunc(cutLimit, func() { _ = c.nc.Close() })
		defer limit.Stop()
		_ = c.sendLast(abortFrame(class, reason))
		_ = c.nc.Close()
	}
	c.work.Wait()
}

// cutLimit is the time within which Cut must have sent its frame.
const cutLimit = 20 * time.Millisecond

func abortFrame(class, reason string) frame {
	f := frame{kindAbort, class, []byte(cleanReason(reason))}
	if f.check() != nil {
		f.name = ""
	}
	return f
}

// endBy ends the connection, with a last frame if the peer has not ended it, and waits for the
// connection's goroutines.
func (c *Conn) endBy(last frame, why error) {
	if c.lose(why) {
		c.farewell(last)
		_ = c.nc.Close()
	}
	c.work.Wait()
}

// farewell sends the last frame and reads until the peer has ended the stream: closing a socket with
// unread bytes resets the connection, and the frame could be lost. One timer limits all of it,
// including the wait until another frame is written.
func (c *Conn) farewell(last frame) {
	if c.perftest != "" {
		return
	}
	select {
	case <-c.ended:
		return
	default:
	}
	limit := time.AfterFunc(c.timing.farewell, func() { _ = c.nc.Close() })
	defer limit.Stop()
	if c.sendLast(last) == nil {
		endStream(c.nc)
		c.work.Wait()
	}
}

// sendLast sends the last frame, after one that is being written.
func (c *Conn) sendLast(last frame) error {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	return c.write(last)
}

// lose marks the connection as lost, and reports whether it was not lost before.
func (c *Conn) lose(why error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.err = why
	close(c.lost)
	return true
}

// fail marks the connection as lost by a failure of the peer, and closes the socket unless this side
// is closing it already.
func (c *Conn) fail(reason string, cause error) {
	if c.lose(&PeerError{Peer: c.peer, Reason: reason, cause: cause}) {
		_ = c.nc.Close()
	}
}

// endStream ends the outgoing half of the stream; a connection without halves is closed.
func endStream(nc net.Conn) {
	if half, ok := nc.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = nc.Close()
}
