package oob

import (
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
)

// acceptAll accepts clients until the test ends.
func acceptAll(t *testing.T, l *Listener) <-chan *Conn {
	come := make(chan *Conn, 100) // more than the test has
	go func() {
		defer close(come)
		for {
			c, err := l.Accept(t.Context())
			if err != nil {
				return
			}
			come <- c
		}
	}()
	t.Cleanup(func() {
		for c := range come {
			endAll(c)
		}
	})
	return come
}

// serverOf returns the server's end of a client's connection.
func serverOf(t *testing.T, client *Conn, come <-chan *Conn) *Conn {
	t.Helper()
	for {
		select {
		case c := <-come:
			t.Cleanup(func() { endAll(c) })
			if c.RemoteAddr() == client.nc.LocalAddr().String() {
				return c
			}
		case <-client.Lost():
			t.Fatal(client.Err())
		}
	}
}

// greedy sends a client's hello and then frames, until the server closes the connection.
func greedy(t *testing.T, l *Listener, wire []byte, frames int) {
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer nc.Close()
	_, err = nc.Write(greetingOf(newHello(roleClient, nil)))
	// Small writes, because the kernel and the race detector process every byte.
	if err := nc.(*net.TCPConn).SetWriteBuffer(chunkSize); err != nil {
		t.Error(err)
	}
	for ; err == nil && frames > 0; frames-- {
		for piece := range slices.Chunk(wire, chunkSize) {
			if _, err = nc.Write(piece); err != nil {
				break
			}
		}
	}
	_, _ = io.Copy(io.Discard, nc)
}

// scan connects and closes.
func scan(t *testing.T, l *Listener) {
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	_ = nc.Close()
}

// highest samples the heap in use until it is stopped, and returns the highest value.
func highest() (stop func() uint64) {
	ended, most := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for high := uint64(0); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			high = max(high, m.HeapInuse)
			select {
			case <-tick.C:
			case <-ended:
				most <- high
				return
			}
		}
	}()
	return func() uint64 {
		close(ended)
		return <-most
	}
}

// A client is accepted at once during a flood of connections, and the flood takes little memory.
func TestClientAmongIncompatibleAndGreedyPeers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		payload int
	}{
		{"frames of 4 MiB", MaxPayload},
		{"frames of 64 KiB", boundOfClient.Bytes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wire := frame{kindData, "plan", make([]byte, tt.payload)}.appendTo(nil)
			l := localListener(t, short)
			before := highest()()
			most := highest()
			for range 10 {
				dialRaw(t, l, nil)
			}
			come := acceptAll(t, l)
			var others sync.WaitGroup
			for range 200 {
				others.Go(func() { scan(t, l) })
			}
			for range 60 {
				others.Go(func() { greedy(t, l, wire, 15) })
			}
			start := testclock.Start()
			client, err := dial(t.Context(), l.Addr().String(), DialOptions{Timeout: time.Minute}, short)
			if err != nil {
				t.Fatal(err)
			}
			server := serverOf(t, client, come)
			if took := start.Took(); took > acceptLimit {
				t.Errorf("accepted after %v, want within %v", took, acceptLimit)
			}
			swap(t, client, server, "plan", []byte("c"), []byte("s"))
			others.Wait()
			if took := int64(most() - before); took > 16<<20 {
				t.Errorf("the heap in use has grown by %d bytes", took)
			}
			closeBoth(t, client, server)
		})
	}
}
