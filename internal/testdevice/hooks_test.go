package testdevice_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/verbs"
)

func TestHooksSeeRequestsAndRegions(t *testing.T) {
	var posted []verbs.Opcode
	var signaled, lengths int
	var access []verbs.Access
	var on verbs.QP
	client, server := pair(t, testdevice.Options{
		OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
			on, posted = qp, append(posted, wr.Opcode)
			lengths += int(testdevice.Length(wr))
			if wr.SendFlags&verbs.SendSignaled != 0 {
				signaled++
			}
		},
		OnRegMR: func(_ verbs.MR, a verbs.Access) { access = append(access, a) },
	}, testdevice.Options{})
	client.post(client.list(server, verbs.OpRDMAWrite, 3, 100))
	client.next(client.SendCQ)
	client.post(client.list(server, verbs.OpRDMARead, 1, 8))
	client.next(client.SendCQ)
	want := []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpRDMAWrite, verbs.OpRDMAWrite, verbs.OpRDMARead}
	if on != client.QP || !slices.Equal(posted, want) || signaled != 2 || lengths != 308 {
		t.Errorf("posted %v, %d signaled, %d bytes", posted, signaled, lengths)
	}
	if len(access) != 1 || access[0]&verbs.AccessRemoteRead == 0 {
		t.Errorf("regions with %v", access)
	}
}

// TestListsAreLeftAsTheyWere: PostSend restores a list that it posts one by one, also on a failure.
func TestListsAreLeftAsTheyWere(t *testing.T) {
	client, server := pair(t, testdevice.Options{PostDelay: testdevice.Constant(0).Posts}, testdevice.Options{})
	list := client.list(server, verbs.OpRDMAWrite, 3, 8)
	client.send[1].Opcode = 77
	if bad, err := client.QP.PostSend(list); bad != &client.send[1] || err == nil {
		t.Errorf("bad %v, %v", bad, err)
	}
	if list.Next != &client.send[1] || client.send[1].Next != &client.send[2] || client.send[2].Next != nil {
		t.Error("the list is another one")
	}
}

// TestListsStayInOnePiece: the requests of two lists do not mix, also if posts take long.
func TestListsStayInOnePiece(t *testing.T) {
	const length = 4
	var on atomic.Int64 // requests of the current list
	client, server := pair(t, testdevice.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
		if n := on.Add(1) - 1; int64(wr.WRID) != n%length {
			t.Errorf("request %d of a list came where number %d was due", wr.WRID, n%length)
		}
		time.Sleep(time.Millisecond) // time for the other thread to interfere
	}}, testdevice.Options{})
	first := client.list(server, verbs.OpRDMAWrite, length, 8)
	second := must(verbs.Make[verbs.SendWR](length))(t)
	copy(second, client.send)
	for i := range length - 1 {
		second[i].Next = &second[i+1]
	}
	var threads sync.WaitGroup
	for _, list := range []*verbs.SendWR{first, &second[0]} {
		threads.Go(func() {
			if _, err := client.QP.PostSend(list); err != nil {
				t.Error(err)
			}
		})
	}
	threads.Wait()
	client.next(client.SendCQ)
	client.next(client.SendCQ)
}

func TestForwardingDoesNotAllocate(t *testing.T) {
	for name, o := range map[string]testdevice.Options{
		"nothing": {},
		"all":     {Clock: new(testdevice.Clock), PostDelay: testdevice.Uniform(1, 0, 100).Posts, OnPostSend: func(verbs.QP, *verbs.SendWR) {}},
	} {
		client, server := pair(t, o, testdevice.Options{})
		list := client.list(server, verbs.OpRDMAWrite, 3, 8)
		if n := testing.AllocsPerRun(100, func() {
			client.QP.PostSend(list)
			client.SendCQ.PollSpin(client.SendCQ.WC, 10)
			client.SendCQ.Poll(client.SendCQ.WC)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestDelays(t *testing.T) {
	stall, uniform := testdevice.Stall(10, 1, 1000), testdevice.Uniform(5, 10, 19)
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
	testdevice.Context(nil, testdevice.Options{Clock: new(testdevice.Clock), ReadDelay: testdevice.Constant(1).Posts})
}

// TestShortMessagesWaitForThePoll: a message that fits a CQE is in memory once the completion is
// polled, a longer one before.
func TestShortMessagesWaitForThePoll(t *testing.T) {
	client, server := pair(t, testdevice.Options{}, testdevice.Options{ScatterToCQE: 32})
	for i, c := range []struct {
		bytes int
		held  bool
	}{{1, true}, {32, true}, {33, false}, {8, true}} {
		value := byte(i + 1)
		client.Mem[from], client.Mem[from+c.bytes-1] = value, value
		server.expect(c.bytes)
		client.post(client.list(server, verbs.OpSend, 1, c.bytes))
		client.next(client.SendCQ)
		if held := server.Mem[into] != value; held != c.held {
			t.Errorf("%d bytes: held back %v", c.bytes, held)
		}
		if wc := server.next(server.RecvCQ); int(wc.ByteLen) != c.bytes || server.Mem[into] != value || server.Mem[into+c.bytes-1] != value {
			t.Errorf("%d bytes: %+v; the message begins with %d", c.bytes, wc, server.Mem[into])
		}
	}
}
