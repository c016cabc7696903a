package oob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// A client that has not agreed on a plan yet can make the server keep only little data.
func TestClientIsHeldShortUntilTrusted(t *testing.T) {
	most := make([]byte, boundOfClient.Bytes)
	for _, tt := range []struct {
		name  string
		sends []frame
		want  string // empty: nothing is wrong
	}{
		{"the largest payload", []frame{{kindData, "plan", most}}, ""},
		{"a larger payload", []frame{{kindData, "plan", append(most, 0)}},
			`exchange "plan" with a payload of 65537 bytes, the limit is 65536`},
		{"a second exchange", []frame{{kindData, "plan", most}, {kindData, "more", nil}},
			`exchange "more" beyond the limit of waiting payloads, 1`},
		{"a second payload", []frame{{kindData, "plan", nil}, {kindData, "plan", nil}},
			`exchange "plan" beyond the limit of waiting payloads, 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, server := untrustedPair(t, short)
			for _, f := range tt.sends {
				if err := client.send(f); err != nil {
					break // the server has enough of it
				}
			}
			if tt.want != "" {
				<-server.Lost()
				wantIncompatible(t, server.Err(), tt.want)
				return
			}
			if got, err := server.Exchange("plan", nil); err != nil || !bytes.Equal(got, most) {
				t.Errorf("Exchange = %d bytes, %v; want %d", len(got), err, len(most))
			}
		})
	}
}

// In the agreement each side is at most one exchange ahead, which an untrusted client may be.
func TestUntrustedClientAgreesAndIsTrusted(t *testing.T) {
	client, server := untrustedPair(t, short)
	for range 100 {
		swap(t, client, server, "plan", make([]byte, boundOfClient.Bytes), []byte("s"))
		swap(t, client, server, "answer", nil, nil)
	}
	server.Trust(Bounds{"big": {Bytes: MaxPayload}})
	swap(t, client, server, "big", make([]byte, MaxPayload), nil)
	go client.Exchange("more", nil)
	<-server.Lost()
	wantIncompatible(t, server.Err(), `exchange "more", which is not part of the run`)
}

// Bytes that a client sends in the same segment as its greeting are not lost.
func TestPayloadBehindTheGreeting(t *testing.T) {
	for _, size := range []int{1, greetingBuffer, 1000, boundOfClient.Bytes} {
		l := localListener(t, short)
		payload := bytes.Repeat([]byte("x"), size)
		wire := greetingOf(newHello(roleClient, nil))
		raw := dialRaw(t, l, frame{kindData, "plan", payload}.appendTo(wire))
		got := <-goAccept(t.Context(), l)
		if got.err != nil {
			t.Fatal(got.err)
		}
		if theirs, err := got.conn.Exchange("plan", nil); err != nil || !bytes.Equal(theirs, payload) {
			t.Errorf("Exchange = %d bytes, %v; want %d", len(theirs), err, size)
		}
		_ = raw.nc.Close()
		endAll(got.conn)
	}
}

// A client that is ahead by an exchange is within the limit, however late the server's exchange reads the
// payload.
func TestStepThatIsDeliveredDoesNotWait(t *testing.T) {
	m := mailbox{other: boundOfClient, most: maxWaitingOfClient, slots: map[string]*slot{}}
	if _, err := m.enter("plan"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plan", "answer"} {
		if err := m.admit(name, 0); err != nil {
			t.Errorf("exchange %s: %v", name, err)
		}
		m.put(name, nil)
	}
	if err := m.admit("plan", 0); !errors.Is(err, ErrProtocol) {
		t.Errorf("a third payload: %v, want ErrProtocol", err)
	}
}

// taken returns the memory that f allocates, on average.
func taken(f func()) uint64 {
	const rounds = 50
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / rounds
}

// A header alone allocates no memory for its payload.
func TestHeaderAloneTakesLittleMemory(t *testing.T) {
	full := frame{kindData, "s", make([]byte, MaxPayload)}.appendTo(nil)
	refuse := mailbox{other: boundOfClient, most: maxWaitingOfClient}
	for _, tt := range []struct {
		name  string
		wire  []byte
		admit func(h header, name string) error
		want  error
	}{
		{"beyond any limit", []byte("IBPF\x03\x02\x01\x00\xff\xff\xff\xff"), admitAll, ErrProtocol},
		{"beyond the limit before trust", full, func(h header, name string) error { return refuse.admit(name, h.payload) }, ErrProtocol},
		{"a promise of 4 MiB", full[:headerSize+1+100], admitAll, io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := bytes.NewReader(nil)
			r := bufio.NewReader(source)
			got := taken(func() {
				source.Reset(tt.wire)
				r.Reset(source)
				if _, err := readFrame(r, tt.admit); !errors.Is(err, tt.want) {
					t.Fatalf("error = %v, want %v", err, tt.want)
				}
			})
			if got > 2*chunkSize {
				t.Errorf("took %d bytes, want few", got)
			}
		})
	}
}

func TestMemoryGrowsWithWhatArrives(t *testing.T) {
	const arrived = 300 << 10
	stream := strings.Repeat("x", arrived)
	got := taken(func() {
		if _, err := readBytes(strings.NewReader(stream), MaxPayload); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	})
	if got > 4*arrived {
		t.Errorf("took %d bytes for %d that have arrived", got, arrived)
	}
}
