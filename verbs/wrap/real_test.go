package wrap_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// exact holds times to what was asked: never shorter, and the least, which it returns, no
// longer than by tolerance. What others take from the machine only adds.
func exact(t *testing.T, what string, asked, tolerance time.Duration, times []time.Duration) (least time.Duration) {
	t.Helper()
	if least = slices.Min(times); least < asked || least > asked+tolerance {
		t.Errorf("%s: %v at least, asked for %v", what, least, asked)
	}
	return least
}

// The delay of a post is that until the wrapped device is handed the request, less what
// that takes without one. It is exact to 1 us, and a long one, which sleeps, to 0.5 %.
func TestPostsTakeAsLongAsAsked(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	none := noise
	for _, asked := range []time.Duration{0, 300, 10 * time.Microsecond, 6 * time.Millisecond} {
		var handed time.Time
		inner := wrap.Options{OnPostSend: func(verbs.QP, *verbs.SendWR) { handed = time.Now() }}
		client, server := pair(t, inner, wrap.Options{}, wrap.Options{PostDelay: wrap.Constant(asked).Posts})
		list := client.list(server, verbs.OpRDMAWrite, 1, 8)
		times := make([]time.Duration, 51)
		for i := range times {
			begun := time.Now()
			client.post(t, list)
			times[i] = handed.Sub(begun)
			client.next(t, client.sent)
		}
		least := exact(t, "post", asked, none+time.Microsecond+asked/200, times)
		if asked == 0 {
			none = least
		}
	}
}

// noise is what a message takes beside its delay: two calls, an event, a thread that
// was asleep, and the race detector, which looks at all of it.
const noise = 200 * time.Microsecond

func TestArrivalsTakeAsLongAsAsked(t *testing.T) {
	for _, asked := range []time.Duration{300, 10 * time.Microsecond, time.Millisecond} {
		client, server := pair(t, wrap.Options{}, wrap.Options{ArrivalDelay: wrap.Constant(asked).Arrivals})
		list := client.list(server, verbs.OpSend, 1, 8)
		for how, wait := range map[string]func(){
			"poll": func() { server.next(t, server.came) },
			"event": func() {
				cq := must(server.ch.GetEvent(10 * time.Second))(t)
				cq.AckEvents(1)
				if n := must(cq.Poll(server.wc))(t); cq != server.came || n != 1 {
					t.Fatalf("%d completions of %v behind an event", n, cq)
				}
			},
		} {
			times := make([]time.Duration, 51)
			for i := range times {
				server.expect(t)
				ok(t, server.came.ReqNotify(false))
				begun := time.Now()
				client.post(t, list)
				wait()
				times[i] = time.Since(begun)
				client.next(t, client.sent)
			}
			exact(t, how, asked, noise, times)
		}
	}
}

// A completion that is delayed is neither polled nor told of before its time, and
// then it is, though it had come before the CQ was armed.
func TestDelayedCompletionRaisesItsEvent(t *testing.T) {
	const asked = 50 * time.Millisecond
	client, server := pair(t, wrap.Options{}, wrap.Options{ArrivalDelay: wrap.Constant(asked).Arrivals})
	server.expect(t)
	begun := time.Now()
	client.post(t, client.list(server, verbs.OpSend, 1, 8))
	if n := must(server.came.Poll(server.wc))(t); n != 0 {
		t.Fatal("a completion before its time")
	}
	ok(t, server.came.ReqNotify(false))
	if _, err := server.ch.GetEvent(time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Fatalf("before its time: %v", err)
	}
	must(server.ch.GetEvent(10 * time.Second))(t).AckEvents(1)
	if n, took := must(server.came.Poll(server.wc))(t), time.Since(begun); n != 1 || took < asked {
		t.Errorf("%d completions after %v", n, took)
	}
}

// READs are under way when PostSend returns, and are carried out in order.
func TestReadsAreLate(t *testing.T) {
	const asked = 20 * time.Millisecond
	client, server := pair(t, wrap.Options{ReadDelay: wrap.Constant(asked).Posts}, wrap.Options{})
	for round := range uint64(5) {
		word(server.mem[into:]).Store(round + 1)
		begun := time.Now()
		list := client.list(server, verbs.OpRDMARead, 3, 8)
		for i := range client.send[:3] {
			client.send[i].SendFlags = verbs.SendSignaled
		}
		client.post(t, list)
		if got, n := word(client.mem[from:]).Load(), must(client.sent.Poll(client.wc))(t); time.Since(begun) < asked && (got != round || n != 0) {
			t.Fatalf("round %d: %d completions, the word is %d: at once", round, n, got)
		}
		client.sges[0].Length, client.send[0].WRID = 0, 99 // the program's own again
		for i := range uint64(3) {
			if wc := client.next(t, client.sent); wc.WRID != i || wc.Opcode != verbs.WCRDMARead || wc.ByteLen != 8 {
				t.Fatalf("completion %d: %+v", i, wc)
			}
		}
		if got, took := word(client.mem[from:]).Load(), time.Since(begun); got != round+1 || took < asked {
			t.Fatalf("round %d: the word is %d after %v", round, got, took)
		}
	}
}

// What follows READs is posted behind them, a full queue is refused, and READs that
// are under way are dropped with their QP.
func TestReadsUnderWay(t *testing.T) {
	const asked = 20 * time.Millisecond
	client, server := pair(t, wrap.Options{ReadDelay: wrap.Constant(asked).Posts}, wrap.Options{})
	begun := time.Now()
	client.post(t, client.list(server, verbs.OpRDMARead, 1, 8))
	client.post(t, client.list(server, verbs.OpRDMAWrite, 1, 8))
	if took := time.Since(begun); took < asked {
		t.Errorf("a WRITE was posted %v behind a READ", took)
	}
	for _, want := range []verbs.WCOpcode{verbs.WCRDMARead, verbs.WCRDMAWrite} {
		if wc := client.next(t, client.sent); wc.Opcode != want {
			t.Errorf("%s completes, want %s", wc.Opcode, want)
		}
	}
	client.post(t, client.list(server, verbs.OpRDMARead, depth, 8))
	bad, err := client.qp.PostSend(&client.send[depth-1])
	if err == nil || bad != &client.send[depth-1] {
		t.Errorf("one READ too many: %v, %v", bad, err)
	}
}
