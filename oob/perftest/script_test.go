package perftest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// sockets returns both ends of a connection: that of this side and that of perftest.
func sockets(t *testing.T) (here, there net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	there, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	here, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = here.Close(); _ = there.Close() })
	return here, there
}

// The keys of the tests, as perftest prints them.
const (
	keysGID = "0000:0001:000011:a0576f:00000389:000055bc9e19b000:00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:01:00000000:\x00"
	keysLID = "0000:0001:000011:7aae5c:000002d4:0000558780886000:00000000\x00"
)

// messages returns what perftest sends, by the size of the message.
func messages(size, reports int) []byte {
	switch size {
	case 4:
		return binary.BigEndian.AppendUint32(nil, 4096)
	case 2:
		return []byte("3\x00")
	case keysSizeLID:
		return []byte(keysLID)
	case keysSizeGID:
		return []byte(keysGID)
	}
	return report{size: 4096, messages: 2000, peak: 20, average: 10, rate: 0.00256}.parts()[reports%5]
}

// perftestSide does what perftest does: it reads each message with one call, and writes its own one before that or after
// it. It returns an error if it reads another number of bytes, or if the other side sends anything else.
func perftestSide(nc net.Conn, server bool, sizes []int) error {
	reports := 0
	for i, size := range sizes {
		out := messages(size, reports)
		if size == 8 {
			reports++
		}
		if !server {
			if _, err := nc.Write(out); err != nil {
				return err
			}
		}
		in := make([]byte, 512)
		n, err := nc.Read(in)
		if err != nil || n != size {
			return fmt.Errorf("message %d of %v: %d bytes, %v", i, sizes, n, err)
		}
		if server {
			if _, err := nc.Write(out); err != nil {
				return err
			}
		}
	}
	if err := nc.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	if rest, err := io.ReadAll(nc); err != nil || len(rest) > 0 {
		return fmt.Errorf("%q, %v after the last message", rest, err)
	}
	return nil
}

// engine calls the peer as the engine does.
func engine(p *Peer, plan option.Plan) error {
	if _, err := p.Open(Opening{Cycle: 4096, Line: 64, MTU: verbs.MTU4096}); err != nil {
		return err
	}
	s := option.New(plan.Test)
	s.Plan = plan
	resolved, err := s.Resolve()
	if err != nil {
		return err
	}
	p.Agree(resolved, false)
	mine := make([]oob.Endpoint, plan.QPs)
	for i := range mine {
		mine[i].GID = verbs.GID{15: 1}
	}
	theirs, err := p.Endpoints(mine)
	if err != nil {
		return err
	}
	if e := theirs[0]; e.MTU != verbs.MTU1024 || e.QPNum != 0x11 || e.PSN != 0xa0576f || e.RKey != 0x389 || e.Addr != 0x55bc9e19b000 || e.GID[15] != 1 || e.RelaxedRKey != e.RKey {
		return fmt.Errorf("keys %+v", e)
	}
	if _, err := p.Promise(oob.Promise{}); err != nil {
		return err
	}
	for range plan.Sizes {
		if err := p.Ready(); err != nil {
			return err
		}
		if _, err := p.Finish([]uint64{0}); err != nil {
			return err
		}
		if _, err := p.Result(oob.Round{Figure: &result.Round{Messages: 2000, Seconds: 0.5}}); err != nil {
			return err
		}
		if _, err := p.Row(oob.Row{}); err != nil {
			return err
		}
	}
	return p.Ready()
}

// trace returns sizes of messages: "108*2 8*5" is 108 twice and 8 five times.
func trace(text string) (sizes []int) {
	for _, part := range strings.Fields(text) {
		var size, n int
		if _, err := fmt.Sscanf(part, "%d*%d", &size, &n); err != nil {
			panic(err)
		}
		for range n {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// Each test has the exchanges that perftest 6.06 to 6.27 has, after the versions.
func TestExchangesOfEveryTest(t *testing.T) {
	const opening = "4*2 2*1 "
	both := func(p *option.Plan) { p.Both = true }
	qps := func(p *option.Plan) { p.QPs = 2 }
	sizes := func(p *option.Plan) { p.Sizes = []int{1024, 2048, 4096} }
	timed := func(p *option.Plan) { p.Duration = time.Second }
	for _, tt := range []struct {
		program string
		set     []func(*option.Plan)
		want    string
	}{
		{"ib_write_bw", nil, "108*4 8*5 108*1"},
		{"ib_read_bw", nil, "108*4 8*5 108*1"},
		{"ib_write_bw", []func(*option.Plan){timed}, "108*4 8*5 108*1"},
		{"ib_write_bw", []func(*option.Plan){qps}, "108*6 8*5 108*1"},
		{"ib_write_bw", []func(*option.Plan){both}, "108*4 8*5 108*1"},
		{"ib_write_bw", []func(*option.Plan){both, qps}, "108*6 8*5 108*1"},
		{"ib_write_bw", []func(*option.Plan){both, sizes}, "108*3 108*2 8*5 108*2 8*5 108*2 8*5 108*1"},
		{"ib_write_lat", nil, "108*4"},
		{"ib_read_lat", nil, "108*5"},
		{"ib_send_bw", nil, "108*5"},
		{"ib_send_bw", []func(*option.Plan){timed}, "108*5"},
		{"ib_send_bw", []func(*option.Plan){both}, "108*4 8*5 108*1"},
		{"ib_send_bw", []func(*option.Plan){both, timed}, "108*5"},
		{"ib_send_bw", []func(*option.Plan){sizes}, "108*3 108*6 108*1"},
		{"ib_send_lat", nil, "108*5"},
		{"ib_send_lat", []func(*option.Plan){sizes}, "108*3 108*3 108*1"},
	} {
		for _, server := range []bool{false, true} {
			test, _ := option.TestOf(tt.program)
			plan := option.Defaults(test)
			plan.Sizes = []int{4096}
			for _, set := range tt.set {
				set(&plan)
			}
			if both := plan.Both && len(plan.Sizes) > 1; both {
				plan.Sizes = []int{4096, 4096, 4096} // the scripted reports are all of this size
			}
			t.Run(fmt.Sprintf("%s, %d sizes, both %v, %v, server %v", tt.program, len(plan.Sizes), plan.Both, plan.Duration, server), func(t *testing.T) {
				here, there := sockets(t)
				done := make(chan error, 1)
				go func() { done <- perftestSide(there, !server, trace(opening+tt.want)) }()
				p := New(here, "6.06", server)
				err := engine(p, plan)
				if closed := p.Close(); err != nil || closed != nil {
					t.Error(err, closed)
				}
				if err := <-done; err != nil {
					t.Error("perftest:", err)
				}
			})
		}
	}
}

// A server has the client's figures, in bytes a second whatever unit perftest prints.
func TestReportsOfBothUnits(t *testing.T) {
	for _, unit := range []float64{mib, gbit} {
		const rate, size = 250e3, 65536
		sent := report{size: size, messages: 5000, average: rate * size / unit, peak: 1.5 * rate * size / unit, rate: rate / 1e6}
		b, err := parseReport(sent.parts()).bandwidth(size, "sender")
		if err != nil {
			t.Fatal(err)
		}
		near := func(got, want float64) bool { return math.Abs(got/want-1) < 1e-9 }
		if b.Messages != 5000 || !near(b.Average, rate*size) || !near(b.Peak, 1.5*rate*size) || !near(b.Seconds, 0.02) || !near(b.MsgRate, rate) {
			t.Errorf("unit %g: %+v", unit, b)
		}
	}
	for _, r := range []report{
		{size: 2, messages: 1, average: 1, rate: 1}, {size: 8, messages: 0, rate: 1}, {size: 8, messages: 1},
		{size: 8, messages: 1, average: math.NaN(), rate: 1}, {size: 8, messages: 1, average: 1, rate: math.Inf(1)},
	} {
		if b, err := r.bandwidth(8, "sender"); err == nil {
			t.Errorf("%+v is read as %+v", r, b)
		}
	}
}

// The form of the keys is perftest's, byte by byte.
func TestKeys(t *testing.T) {
	for _, text := range []string{keysGID, keysLID} {
		gid := len(text) == keysSizeGID
		e, err := parseKeys([]byte(text))
		if err != nil || string(formatKeys(&e, gid)) != text {
			t.Errorf("%q is read as %+v, %v", text, e, err)
		}
	}
}

// A plan of 6.29, of ib_write_bw -n 100 -s 1024, comes back as it was, in the length of either build.
func TestPlanOfTheClient(t *testing.T) {
	words := []uint32{0, 0, 2, 1, 0, 0, 1, 0, 0, 0x400, 0, 0x64, 0, 1, 5, 0, 0, 0, 0, 0}
	for _, size := range []int{planSize, planSizeMlx5} {
		sent := make([]byte, size)
		for i, w := range words {
			binary.BigEndian.PutUint32(sent[4*i:], w)
		}
		here, there := sockets(t)
		p := New(here, "6.29", true)
		if _, err := there.Write(sent); err != nil {
			t.Fatal(err)
		}
		test, options, err := p.ReceivePlan()
		want := []Option{{"qp", "1"}, {"connection", "RC"}, {"size", "1024"}, {"iters", "100"}}
		if err != nil || test.Program() != "ib_write_bw" || !slices.Equal(options, want) {
			t.Errorf("%v %v, %v; want ib_write_bw %v", test, options, err, want)
		}
		back := make([]byte, size)
		if _, err := io.ReadFull(there, back); err != nil || !slices.Equal(back, sent) {
			t.Errorf("the plan comes back as %v, %v", back, err)
		}
		_ = there.Close()
		_ = p.Close()
	}
}

// A peer that ends is lost, also while this side waits for nothing.
func TestEndOfPerftest(t *testing.T) {
	here, there := sockets(t)
	p := New(here, "6.06", true)
	_ = there.Close()
	select {
	case <-p.Lost():
	case <-time.After(time.Minute):
		t.Fatal("the end of the stream is no loss")
	}
	var gone *oob.PeerError
	if !errors.As(p.Err(), &gone) || !strings.Contains(gone.Error(), "(perftest) is gone: connection closed") {
		t.Errorf("error = %v", p.Err())
	}
	if _, err := p.Open(Opening{Cycle: 4096, Line: 64, MTU: verbs.MTU1024}); !errors.As(err, &gone) {
		t.Errorf("Open = %v, want that the peer is gone", err)
	}
	p.Abort("", "")
}

// Malformed messages are errors that name the message.
func TestMalformedMessages(t *testing.T) {
	for _, tt := range []struct{ sends, want string }{
		{"\xff\xff\xff\xff", "page size"},
		{"\x00\x00\x10\x00\xff\xff\xff\xff", "cache line size"},
	} {
		here, there := sockets(t)
		p := New(here, "6.06", true)
		if _, err := there.Write([]byte(tt.sends)); err != nil {
			t.Fatal(err)
		}
		_, err := p.Open(Opening{Cycle: 4096, Line: 64, MTU: verbs.MTU1024})
		var wrong *oob.MessageError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error = %v, want one about the %s", err, tt.want)
		}
		p.Abort("", "")
	}
}

// FuzzKeys reads arbitrary bytes as keys. What is accepted has that form again, but for the number of an SRQ and upper-case digits.
func FuzzKeys(f *testing.F) {
	f.Add([]byte(keysGID))
	f.Add([]byte(keysLID))
	f.Add([]byte(strings.Repeat(":", keysSizeGID)))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseKeys(b)
		if err != nil {
			return
		}
		again, err := parseKeys(formatKeys(&e, len(b) == keysSizeGID))
		if err != nil || again != e {
			t.Errorf("%q is read as %+v and then as %+v, %v", b, e, again, err)
		}
	})
}

// FuzzPlan reads arbitrary bytes as a client's plan. What is accepted is a test with options that exist.
func FuzzPlan(f *testing.F) {
	f.Add(make([]byte, planSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < planSize {
			return
		}
		test, options, err := parsePlan(b)
		if err != nil {
			return
		}
		for _, o := range options {
			if option.Find(o.Name) == nil {
				t.Errorf("%v has the unknown option %q", test, o.Name)
			}
		}
	})
}
