package oob

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

func TestPeerGoneWithoutWord(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		last       []byte
		reset      bool
	}{
		{"between frames", "is gone: connection closed", nil, false},
		{"in a header", "middle of a frame", []byte("IBPF\x03\x02"), false},
		{"in the magic", "middle of a frame", []byte("IB"), false},
		{"in a payload", "middle of a frame", frame{kindData, "s", []byte("1234")}.appendTo(nil)[:15], false},
		{"by a reset", "is gone: connection ", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, raw := rawServer(t, short)
			raw.sendBytes(tt.last)
			waits := make(chan error)
			go func() {
				_, err := c.Exchange("name", nil)
				waits <- err
			}()
			drain(t, raw, !tt.reset)
			wantPeerError(t, <-waits, false, tt.want)
			wantLost(t, c, false, tt.want)
		})
	}
}

// drain closes a peer's socket, so that the other side sees an end or a reset.
func drain(t *testing.T, raw rawPeer, orderly bool) {
	t.Helper()
	tcp := raw.nc.(*net.TCPConn)
	if orderly {
		if err := tcp.CloseWrite(); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, tcp)
	} else if err := tcp.SetLinger(0); err != nil {
		t.Error(err)
	}
	_ = tcp.Close()
}

func TestSilentPeerIsLost(t *testing.T) {
	limits := short
	limits.silence = 50 * time.Millisecond
	c, _ := rawServer(t, limits)
	_, err := c.Exchange("name", nil)
	wantPeerError(t, err, false, "has been silent for 50ms")
	if !errors.Is(err, c.Err()) {
		t.Errorf("Err = %v, want the same as Exchange's %v", c.Err(), err)
	}
}

// A peer whose process is stopped sends nothing. It is lost within five seconds.
func TestDeathIsNoticedWithinFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		c := newConn(here, nil, standard)
		c.start()
		start := time.Now()
		<-c.Lost()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("noticed after %v, want within 5s", took)
		}
		_ = there.Close()
		_ = c.Close()
	})
}

func TestPeerThatTakesNothingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		c := newConn(here, nil, standard)
		c.start()
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			for {
				if _, err := there.Write(frame{kind: kindPing}.appendTo(nil)); err != nil {
					return
				}
				<-time.After(time.Second)
			}
		}()
		wantLost(t, c, false, "has accepted no data for 4s")
		<-stop
	})
}

// A synctest bubble fails if a goroutine outlives it: no goroutine may need a Close to end.
func TestGoroutinesEndWithConnection(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(c *Conn, peer net.Conn)
	}{
		{"peer gone", func(_ *Conn, peer net.Conn) { _ = peer.Close() }},
		{"peer silent", func(*Conn, net.Conn) {}},
		{"peer aborts", func(_ *Conn, peer net.Conn) {
			_, _ = peer.Write(frame{kind: kindAbort}.appendTo(nil))
		}},
		{"peer says bye", func(_ *Conn, peer net.Conn) {
			_, _ = peer.Write(frame{kind: kindBye}.appendTo(nil))
		}},
		{"garbage", func(_ *Conn, peer net.Conn) { _, _ = peer.Write([]byte("garbage")) }},
		{"own close", func(c *Conn, _ net.Conn) { _ = c.Close() }},
		{"own abort", func(c *Conn, _ net.Conn) { c.Abort("", "enough") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				here, there := net.Pipe()
				defer there.Close()
				c := newConn(here, nil, standard)
				c.start()
				for range 3 {
					go func() { _, _ = c.Exchange(tt.name[:3], nil) }()
				}
				tt.end(c, there)
				<-c.Lost()
			})
		})
	}
}
