package wrap_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

func TestRequestsAndRegionsAreTold(t *testing.T) {
	var posted []verbs.Opcode
	var signaled, lengths int
	var access []verbs.Access
	var on verbs.QP
	client, server := pair(t, wrap.Options{
		OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
			on, posted = qp, append(posted, wr.Opcode)
			lengths += int(wrap.Length(wr))
			if wr.SendFlags&verbs.SendSignaled != 0 {
				signaled++
			}
		},
		OnRegMR: func(_ verbs.MR, a verbs.Access) { access = append(access, a) },
	}, wrap.Options{})
	client.post(t, client.list(server, verbs.OpRDMAWrite, 3, 100))
	client.next(t, client.sent)
	client.post(t, client.list(server, verbs.OpRDMARead, 1, 8))
	client.next(t, client.sent)
	want := []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMAWrite, verbs.OpRDMAWrite, verbs.OpRDMARead}
	if on != client.qp || !slices.Equal(posted, want) || signaled != 2 || lengths != 308 {
		t.Errorf("posted %v, %d signaled, %d bytes", posted, signaled, lengths)
	}
	if len(access) != 1 || access[0]&verbs.AccessRemoteRead == 0 {
		t.Errorf("regions with %v", access)
	}
}

// A list that is posted one by one is the caller's list again, whether it fails or not.
func TestListsAreLeftAsTheyWere(t *testing.T) {
	client, server := pair(t, wrap.Options{PostDelay: wrap.Constant(0).Posts}, wrap.Options{})
	list := client.list(server, verbs.OpRDMAWrite, 3, 8)
	client.send[1].Opcode = 77
	if bad, err := client.qp.PostSend(list); bad != &client.send[1] || err == nil {
		t.Errorf("bad %v, %v", bad, err)
	}
	if list.Next != &client.send[1] || client.send[1].Next != &client.send[2] || client.send[2].Next != nil {
		t.Error("the list is another one")
	}
}

// Requests of two lists do not mix, however long each takes to post.
func TestListsStayInOnePiece(t *testing.T) {
	const length = 4
	var on atomic.Int64 // requests into the list that is being posted
	client, server := pair(t, wrap.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
		if n := on.Add(1) - 1; int64(wr.WRID) != n%length {
			t.Errorf("request %d of a list came where number %d was due", wr.WRID, n%length)
		}
		time.Sleep(time.Millisecond) // the other thread would come in between
	}}, wrap.Options{})
	first := client.list(server, verbs.OpRDMAWrite, length, 8)
	second := must(verbs.Make[verbs.SendWR](length))(t)
	copy(second, client.send)
	for i := range length - 1 {
		second[i].Next = &second[i+1]
	}
	var threads sync.WaitGroup
	for _, list := range []*verbs.SendWR{first, &second[0]} {
		threads.Go(func() {
			if _, err := client.qp.PostSend(list); err != nil {
				t.Error(err)
			}
		})
	}
	threads.Wait()
	client.next(t, client.sent)
	client.next(t, client.sent)
}

func TestForwardingDoesNotAllocate(t *testing.T) {
	for name, o := range map[string]wrap.Options{
		"nothing": {},
		"all":     {Clock: new(wrap.Clock), PostDelay: wrap.Uniform(1, 0, 100).Posts, OnPostSend: func(verbs.QP, *verbs.SendWR) {}},
	} {
		client, server := pair(t, o, wrap.Options{})
		list := client.list(server, verbs.OpRDMAWrite, 3, 8)
		if n := testing.AllocsPerRun(100, func() {
			client.qp.PostSend(list)
			client.sent.PollSpin(client.wc, 10)
			client.sent.Poll(client.wc)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestDelays(t *testing.T) {
	stall, uniform := wrap.Stall(10, 1, 1000), wrap.Uniform(5, 10, 19)
	var sum, counts = 0, map[int64]int{}
	for n := range uint64(1000) {
		sum += int(stall(n))
		counts[int64(uniform(n))]++
		if again := uniform(n); again != uniform(n) {
			t.Fatalf("request %d has two delays", n)
		}
	}
	if sum != 900+100*1000 {
		t.Errorf("stalls sum up to %d", sum)
	}
	for d, n := range counts {
		if d < 10 || d > 19 || n < 60 || n > 140 {
			t.Errorf("delay %d came %d times of 1000", d, n)
		}
	}
}

func TestLateReadsNeedRealTime(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	wrap.Context(nil, wrap.Options{Clock: new(wrap.Clock), ReadDelay: wrap.Constant(1).Posts})
}

// What a CQE holds is in memory once it is polled; what it has no room for is before.
func TestShortMessagesWaitForThePoll(t *testing.T) {
	client, server := pair(t, wrap.Options{}, wrap.Options{ScatterToCQE: 32})
	for i, c := range []struct {
		bytes int
		held  bool
	}{{1, true}, {32, true}, {33, false}, {8, true}} {
		value := byte(i + 1)
		client.mem[from], client.mem[from+c.bytes-1] = value, value
		server.expectUpTo(t, c.bytes)
		client.post(t, client.list(server, verbs.OpSend, 1, c.bytes))
		client.next(t, client.sent)
		if held := server.mem[into] != value; held != c.held {
			t.Errorf("%d bytes: held back %v", c.bytes, held)
		}
		if wc := server.next(t, server.came); int(wc.ByteLen) != c.bytes || server.mem[into] != value || server.mem[into+c.bytes-1] != value {
			t.Errorf("%d bytes: %+v; the message begins with %d", c.bytes, wc, server.mem[into])
		}
	}
}
