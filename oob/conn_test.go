package oob

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// swap makes an exchange on both ends at once and checks that each receives the other's payload.
func swap(t *testing.T, a, b *Conn, name string, fromA, fromB []byte) {
	t.Helper()
	var wg sync.WaitGroup
	one := func(c *Conn, mine, want []byte) {
		got, err := c.Exchange(name, mine)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("Exchange(%q) = %.40q, %v; want %.40q", name, got, err, want)
		}
	}
	wg.Go(func() { one(a, fromA, fromB) })
	wg.Go(func() { one(b, fromB, fromA) })
	wg.Wait()
}

func TestExchangeInBothDirections(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), MaxPayload/16)
	for _, ends := range bothKinds {
		t.Run(ends.name, func(t *testing.T) {
			a, b := ends.open(t, short)
			swap(t, a, b, "plan", []byte("from a"), []byte("from b"))
			swap(t, a, b, "plan", []byte("again"), nil)
			swap(t, a, b, strings.Repeat("s", MaxExchangeName), big, big[1:])
		})
	}
}

func TestExchangeMatchesStepsByName(t *testing.T) {
	a, b := tcpPair(t, short)
	var wg sync.WaitGroup
	start := make(chan struct{})
	both := func(c *Conn, side string, names ...string) {
		for _, name := range names {
			wg.Go(func() {
				<-start
				for round := range 50 {
					got, err := c.Exchange(name, fmt.Appendf(nil, "%s %d", name, round))
					if want := fmt.Sprintf("%s %d", name, round); err != nil || string(got) != want {
						t.Errorf("%s: Exchange = %q, %v; want %q", side, got, err, want)
						return
					}
				}
			})
		}
	}
	both(a, "a", "one", "two", "three")
	both(b, "b", "three", "one", "two")
	close(start)
	wg.Wait()
}

func TestExchangeTakesPayloadThatCameFirst(t *testing.T) {
	a, raw := rawServer(t, short)
	raw.send(frame{kindData, "later", []byte("2")}, frame{kindData, "now", []byte("1")})
	for _, want := range []struct{ name, payload string }{{"now", "1"}, {"later", "2"}} {
		got, err := a.Exchange(want.name, nil)
		if err != nil || string(got) != want.payload {
			t.Errorf("Exchange(%q) = %q, %v; want %q", want.name, got, err, want.payload)
		}
	}
}

func TestExchangeRefusesBeforeSending(t *testing.T) {
	a, b := Pipe()
	defer b.Close()
	defer a.Close()
	for _, tt := range []struct {
		name, want string
		payload    []byte
	}{
		{"big", "limit is 4194304", make([]byte, MaxPayload+1)},
		{"", "without a name", nil},
		{strings.Repeat("s", MaxExchangeName+1), "limit is 32", nil},
		{"two words", "printable", nil},
		{"\x1b[2J", "printable", nil},
	} {
		_, err := a.Exchange(tt.name, tt.payload)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Exchange(%q) error = %v, want %q in it", tt.name, err, tt.want)
		}
	}
	swap(t, a, b, "after", []byte("1"), []byte("2"))
}

func TestSecondExchangeWithANameIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		first := make(chan error)
		go func() {
			_, err := a.Exchange("same", nil)
			first <- err
		}()
		synctest.Wait()
		if _, err := a.Exchange("same", nil); err == nil || !strings.Contains(err.Error(), "in progress") {
			t.Errorf("second Exchange error = %v, want another exchange with this name is in progress", err)
		}
		if _, err := b.Exchange("same", nil); err != nil {
			t.Error(err)
		}
		if err := <-first; err != nil {
			t.Error(err)
		}
		closeBoth(t, a, b)
	})
}

// An exchange may take as long as a run: pings keep both ends alive without any exchange.
func TestIdleConnectionStaysAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		select {
		case <-a.Lost():
			t.Error("a lost:", a.Err())
		case <-b.Lost():
			t.Error("b lost:", b.Err())
		case <-time.After(time.Hour):
		}
		swap(t, a, b, "after", []byte("1"), []byte("2"))
		closeBoth(t, a, b)
	})
}

func TestErrIsNilWhileConnected(t *testing.T) {
	a, b := tcpPair(t, short)
	swap(t, a, b, "once", nil, nil)
	if err := errors.Join(a.Err(), b.Err()); err != nil {
		t.Errorf("Err = %v, want nil", err)
	}
	if a.LocalAddr() != b.RemoteAddr() || b.LocalAddr() != a.RemoteAddr() {
		t.Errorf("the ends are %s to %s and %s to %s", a.LocalAddr(), a.RemoteAddr(), b.LocalAddr(), b.RemoteAddr())
	}
	if !strings.HasPrefix(a.RemoteAddr(), "127.0.0.1:") {
		t.Errorf("RemoteAddr = %q, want a loopback address", a.RemoteAddr())
	}
}
