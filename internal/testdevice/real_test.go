package testdevice_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// exact checks times against the given delay: none is shorter, and the least is longer by at
// most tolerance. Other load on the machine only lengthens them.
func exact(t *testing.T, what string, asked, tolerance time.Duration, times []time.Duration) {
	t.Helper()
	if least := slices.Min(times); least < asked || least > asked+tolerance {
		t.Errorf("%s: %v at least, asked for %v", what, least, asked)
	}
}

// TestPostsTakeAsLongAsAsked: the time until the inner device gets the request, less the time without
// a delay on a pair that takes turns with it, equals the delay to within 1 µs, or 0.5 % for a long
// delay, which sleeps.
func TestPostsTakeAsLongAsAsked(t *testing.T) {
	emulation.SkipTimes(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	undelayed := timedPosts(t, 0)
	for _, asked := range []time.Duration{300, 10 * time.Microsecond, 6 * time.Millisecond} {
		delayed := timedPosts(t, asked)
		without, with := make([]time.Duration, 51), make([]time.Duration, 51)
		for i := range with {
			without[i], with[i] = undelayed(), delayed()
		}
		exact(t, "post", asked, slices.Min(without)+time.Microsecond+asked/200, with)
	}
}

// timedPosts returns a function that posts a WRITE with the given delay and returns the time until
// the inner device got it.
func timedPosts(t *testing.T, delay time.Duration) func() time.Duration {
	var handed time.Time
	inner := testdevice.Options{OnPostSend: func(verbs.QP, *verbs.SendWR) { handed = time.Now() }}
	client, server := pair(t, inner, testdevice.Options{}, testdevice.Options{PostDelay: testdevice.Constant(delay).Posts})
	list := client.list(server, verbs.OpRDMAWrite, 1, 8)
	return func() time.Duration {
		begun := time.Now()
		client.post(list)
		took := handed.Sub(begun)
		client.next(client.SendCQ)
		return took
	}
}

// noise bounds the time of a message without its delay: two calls, an event, the wake-up of a
// thread, all under the race detector.
const noise = 200 * time.Microsecond

func TestArrivalsTakeAsLongAsAsked(t *testing.T) {
	emulation.SkipTimes(t)
	for _, asked := range []time.Duration{300, 10 * time.Microsecond, time.Millisecond} {
		client, server := pair(t, testdevice.Options{}, testdevice.Options{ArrivalDelay: testdevice.Constant(asked).Arrivals})
		list := client.list(server, verbs.OpSend, 1, 8)
		for how, wait := range map[string]func(){
			"poll": func() { server.next(server.RecvCQ) },
			"event": func() {
				cq := must(server.Channel.GetEvent(10 * time.Second))(t)
				cq.AckEvents(1)
				if n := must(cq.Poll(server.RecvCQ.WC))(t); cq != server.RecvCQ.CQ || n != 1 {
					t.Fatalf("%d completions of %v behind an event", n, cq)
				}
			},
		} {
			times := make([]time.Duration, 51)
			for i := range times {
				server.expect(room)
				fixture.OK(t, server.RecvCQ.ReqNotify(false))
				begun := time.Now()
				client.post(list)
				wait()
				times[i] = time.Since(begun)
				client.next(client.SendCQ)
			}
			exact(t, how, asked, noise, times)
		}
	}
}

// TestDelayedCompletionRaisesItsEvent: a delayed completion is neither polled nor raises an event
// before its time; then it does, although it arrived before the CQ was armed.
func TestDelayedCompletionRaisesItsEvent(t *testing.T) {
	const asked = 50 * time.Millisecond
	client, server := pair(t, testdevice.Options{}, testdevice.Options{ArrivalDelay: testdevice.Constant(asked).Arrivals})
	server.expect(room)
	begun := time.Now()
	client.post(client.list(server, verbs.OpSend, 1, 8))
	if n := must(server.RecvCQ.Poll(server.RecvCQ.WC))(t); n != 0 {
		t.Fatal("a completion before its time")
	}
	fixture.OK(t, server.RecvCQ.ReqNotify(false))
	if _, err := server.Channel.GetEvent(time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Fatalf("before its time: %v", err)
	}
	must(server.Channel.GetEvent(10 * time.Second))(t).AckEvents(1)
	if n, took := must(server.RecvCQ.Poll(server.RecvCQ.WC))(t), time.Since(begun); n != 1 || took < asked {
		t.Errorf("%d completions after %v", n, took)
	}
}

// TestReadsAreLate: READs are outstanding when PostSend returns, and are executed in order.
func TestReadsAreLate(t *testing.T) {
	const asked = 20 * time.Millisecond
	client, server := pair(t, testdevice.Options{ReadDelay: testdevice.Constant(asked).Posts}, testdevice.Options{})
	for round := range uint64(5) {
		word(server.Mem[into:]).Store(round + 1)
		begun := time.Now()
		list := client.list(server, verbs.OpRDMARead, 3, 8)
		for i := range client.send[:3] {
			client.send[i].SendFlags = verbs.SendSignaled
		}
		client.post(list)
		if got, n := word(client.Mem[from:]).Load(), must(client.SendCQ.Poll(client.SendCQ.WC))(t); time.Since(begun) < asked && (got != round || n != 0) {
			t.Fatalf("round %d: %d completions, the word is %d: at once", round, n, got)
		}
		client.sges[0].Length, client.send[0].WRID = 0, 99 // the program may reuse its requests
		for i := range uint64(3) {
			if wc := client.next(client.SendCQ); wc.WRID != i || wc.Opcode != verbs.WCRDMARead || wc.ByteLen != 8 {
				t.Fatalf("completion %d: %+v", i, wc)
			}
		}
		if got, took := word(client.Mem[from:]).Load(), time.Since(begun); got != round+1 || took < asked {
			t.Fatalf("round %d: the word is %d after %v", round, got, took)
		}
	}
}

// TestOutstandingReads: a later request waits for the READs, a full queue refuses a READ, and closing
// the QP drops outstanding READs.
func TestOutstandingReads(t *testing.T) {
	const asked = 20 * time.Millisecond
	client, server := pair(t, testdevice.Options{ReadDelay: testdevice.Constant(asked).Posts}, testdevice.Options{})
	begun := time.Now()
	client.post(client.list(server, verbs.OpRDMARead, 1, 8))
	client.post(client.list(server, verbs.OpRDMAWrite, 1, 8))
	if took := time.Since(begun); took < asked {
		t.Errorf("a WRITE was posted %v behind a READ", took)
	}
	for _, want := range []verbs.WCOpcode{verbs.WCRDMARead, verbs.WCRDMAWrite} {
		if wc := client.next(client.SendCQ); wc.Opcode != want {
			t.Errorf("%s completes, want %s", wc.Opcode, want)
		}
	}
	client.post(client.list(server, verbs.OpRDMARead, depth, 8))
	bad, err := client.QP.PostSend(&client.send[depth-1])
	if err == nil || bad != &client.send[depth-1] {
		t.Errorf("one READ too many: %v, %v", bad, err)
	}
}
