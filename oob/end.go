package oob

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Close ends the connection in order, after the last step. It returns nil unless the peer was
// lost before. A peer that still waits for this side in [Conn.Exchange] gets an error there;
// one that does not sees nothing of it if it closes within a few seconds.
func (c *Conn) Close() error {
	c.endBy(frame{kind: kindBye}, ErrClosed)
	if err := c.Err(); !errors.Is(err, ErrClosed) {
		return err
	}
	return nil
}

// Abort tells the peer why this side ends the run, as well as that can be done within a
// second, and closes. The class is for the peer's program, a word of at most [MaxClass] letters
// a to z; empty, or anything else, is none. The reason is for people and should read on after
// "ended the run: "; it is made one line of at most [MaxReason] printable bytes.
func (c *Conn) Abort(class, reason string) {
	c.endBy(abortFrame(class, reason), fmt.Errorf("%w: %s", ErrClosed, cleanReason(reason)))
}

func abortFrame(class, reason string) frame {
	f := frame{kindAbort, class, []byte(cleanReason(reason))}
	if f.check() != nil {
		f.step = ""
	}
	return f
}

// endBy ends the connection, with a last frame if there is still somebody to read it, and
// waits for the connection's goroutines.
func (c *Conn) endBy(last frame, why error) {
	if c.lose(why) {
		c.farewell(last)
		_ = c.nc.Close()
	}
	c.work.Wait()
}

// farewell sends the last frame and reads on until the peer has ended the stream: a socket
// closed with bytes unread resets the connection, and what was just sent could be lost. One
// timer covers it all, the wait for another frame to leave included.
func (c *Conn) farewell(last frame) {
	select {
	case <-c.ended:
		return
	default:
	}
	cut := time.AfterFunc(c.timing.farewell, func() { _ = c.nc.Close() })
	defer cut.Stop()
	c.writing <- struct{}{}
	err := c.write(last)
	<-c.writing
	if err == nil {
		endStream(c.nc)
		c.work.Wait()
	}
}

// lose marks the connection as lost. It reports whether this call did it.
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

// fail loses the connection by what was seen of the peer. The socket of a connection that this
// side is ending stays open for the farewell.
func (c *Conn) fail(reason string, cause error) {
	if c.lose(&PeerError{Peer: c.peer, Reason: reason, cause: cause}) {
		_ = c.nc.Close()
	}
}

// endStream tells the peer that nothing more comes, and keeps reading possible where it can.
func endStream(nc net.Conn) {
	if half, ok := nc.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = nc.Close()
}
