package oob

import (
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCloseInEitherOrderIsOrderly(t *testing.T) {
	for _, ends := range bothKinds {
		t.Run(ends.name, func(t *testing.T) {
			a, b := ends.open(t, short)
			swap(t, a, b, "last", nil, nil)
			closeBoth(t, a, b)
			closeBoth(t, a, b)
			for _, c := range []*Conn{a, b} {
				<-c.Lost()
				if !errors.Is(c.Err(), ErrClosed) {
					t.Errorf("Err = %v, want ErrClosed", c.Err())
				}
			}
		})
	}
}

func TestCloseOfBothAtOnceIsOrderly(t *testing.T) {
	for _, ends := range bothKinds {
		t.Run(ends.name, func(t *testing.T) {
			a, b := ends.open(t, short)
			done := make(chan error)
			go func() { done <- a.Close() }()
			if err := errors.Join(b.Close(), <-done); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		})
	}
}

func TestPayloadBeforeByeCounts(t *testing.T) {
	c, raw := rawServer(t, short)
	raw.send(frame{kindData, "last", []byte("x")}, frame{kind: kindBye})
	<-c.ended
	payloads, err := c.box.enter("last")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.await(payloads, "last"); err != nil || string(got) != "x" {
		t.Errorf("payload = %q, %v; want x", got, err)
	}
	c.box.leave("last")
	if err := c.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}

func TestByeEndsWaitingExchange(t *testing.T) {
	for _, ends := range bothKinds {
		t.Run(ends.name, func(t *testing.T) {
			a, b := ends.open(t, short)
			waits := make(chan error)
			go func() {
				_, err := a.Exchange("results", nil)
				waits <- err
			}()
			if err := b.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
			wantPeerError(t, <-waits, false, `ended before exchange "results"`)
			wantLost(t, a, false, `ended before exchange "results"`)
			_, err := a.Exchange("next", nil)
			wantPeerError(t, err, false, `ended before exchange "results"`)
		})
	}
}

// A side that is still running after the peer has closed in order has some seconds to close too.
func TestByeAlertsSideThatRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
		select {
		case <-a.Lost():
			t.Error("lost at once:", a.Err())
		case <-time.After(standard.silence / 2):
		}
		wantLost(t, a, false, "ended before this side did")
		if a.Close() == nil {
			t.Error("Close = nil, want the loss")
		}
	})
}

func TestCloseEndsOwnExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		waits := make(chan error)
		go func() {
			_, err := a.Exchange("name", nil)
			waits <- err
		}()
		synctest.Wait()
		go a.Abort("", "interrupted by SIGINT")
		if err := <-waits; !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "SIGINT") {
			t.Errorf("Exchange error = %v, want ErrClosed and the reason", err)
		}
		if _, err := a.Exchange("next", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Exchange error = %v, want ErrClosed", err)
		}
		b.Abort("", "")
	})
}

// A connection that is cut ends at once, though the peer neither reads nor ends its stream, and the reason arrives.
func TestCutWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := net.Pipe()
		defer q.Close()
		c := newConn(p, nil, standard)
		c.start()
		begun := time.Now()
		c.Cut("busy", "there is no room")
		if took := time.Since(begun); took > cutLimit {
			t.Errorf("took %v", took)
		}
	})
	a, b := tcpPair(t, short)
	a.Cut("busy", "there is no room")
	wantLost(t, b, true, "there is no room")
}

func TestAbortReasonReachesWaitingSide(t *testing.T) {
	for _, ends := range bothKinds {
		t.Run(ends.name, func(t *testing.T) {
			a, b := ends.open(t, short)
			waits := make(chan error)
			go func() {
				_, err := a.Exchange("results", nil)
				waits <- err
			}()
			b.Abort("", "interrupted by SIGINT")
			wantPeerError(t, <-waits, true, "ended the run: interrupted by SIGINT")
		})
	}
}

func TestAbortReasonReachesSideThatDoesNotWait(t *testing.T) {
	for _, ends := range bothKinds {
		t.Run(ends.name, func(t *testing.T) {
			a, b := ends.open(t, short)
			b.Abort("", "no space left on device")
			wantLost(t, a, true, "ended the run: no space left on device")
			if err := a.Close(); err == nil {
				t.Error("Close = nil, want the peer's reason")
			}
		})
	}
}

func TestAbortClassReachesPeer(t *testing.T) {
	for _, tt := range []struct{ given, received string }{
		{"usage", "usage"},
		{"", ""},
		{strings.Repeat("z", MaxClass), strings.Repeat("z", MaxClass)},
		{strings.Repeat("z", MaxClass+1), ""},
		{"two words", ""},
		{"\x1b[2J", ""},
	} {
		a, b := Pipe()
		b.Abort(tt.given, "why")
		wantLost(t, a, true, "ended the run: why")
		var peer *PeerError
		if errors.As(a.Err(), &peer) && peer.Class != tt.received {
			t.Errorf("class %q is received as %q, want %q", tt.given, peer.Class, tt.received)
		}
		endAll(a)
	}
}

// The reader finds the peer's reason although the writer sees only a broken connection.
func TestAbortReasonReachesSideThatSends(t *testing.T) {
	a, b := tcpPair(t, short)
	sends := make(chan error)
	go func() {
		var err error
		for err == nil {
			err = a.send(frame{kind: kindPing})
		}
		sends <- err
	}()
	b.Abort("", "enough")
	wantPeerError(t, <-sends, true, "ended the run: enough")
}

// Close and Abort keep their time limit whatever the peer does: a signal leaves two seconds in all.
func TestAbortIsBriefWithStuckPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		c := newConn(here, nil, standard)
		c.start()
		go func() { _, _ = c.Exchange("stuck", make([]byte, MaxPayload)) }()
		synctest.Wait()
		start := time.Now()
		c.Abort("", "interrupted by SIGTERM")
		if took := time.Since(start); took > standard.farewell {
			t.Errorf("Abort took %v, want at most %v", took, standard.farewell)
		}
		_ = there.Close()
	})
}
