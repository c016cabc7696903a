package shm_test

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// arrivalLimit is the time within which a message must arrive after its receive was posted: less than the
// RNR timer. The engine checks pending work every millisecond; a busy machine delays it.
const arrivalLimit = 400 * time.Millisecond

// TestSenderOutrunsReceiver covers a full send queue, long or short, and receives that are posted
// one by one. Each message arrives in order soon after its receive, whether it is executed by the
// polling thread, by the engine without polling, or while a thread sleeps for the completion.
func TestSenderOutrunsReceiver(t *testing.T) {
	cases := map[string]func(a *side, done *atomic.Bool) error{
		"polled": func(a *side, done *atomic.Bool) error {
			return repeat(1, func(int) (bool, error) { return pollNext(a.SendCQ.CQ, 1) })
		},
		"left alone": func(a *side, done *atomic.Bool) error {
			return repeat(1, func(int) (bool, error) { time.Sleep(time.Millisecond); return done.Load(), nil })
		},
		"slept for": func(a *side, done *atomic.Bool) error {
			cq, err := a.Channel.GetEvent(fixture.WaitTimeout)
			if err == nil {
				cq.AckEvents(1)
			}
			return err
		},
	}
	for name, wait := range cases {
		for _, n := range []int{1, 64} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				c := conf()
				c.OneCQ, c.Channel, c.RNRRetry, c.Cap.MaxSendWR = true, true, 7, n
				c.RNRTimer = 0 // 655 ms: only the receive ends the wait
				a, b := usedPair(t, c)
				var done atomic.Bool
				a.Post(a.numberedSends()...)
				if name == "slept for" {
					noError(t, a.SendCQ.ReqNotify(false))
				}
				runConcurrently(t, func() error { return wait(a, &done) }, func() error {
					defer done.Store(true)
					return b.receiveOneByOne(n)
				})
				if name != "polled" {
					a.SendCQ.Expect(1, verbs.WCSuccess)
				}
			})
		}
	}
}

// numberedSends returns a list that fills the send queue; each message contains its number.
func (s *side) numberedSends() []send {
	list := make([]send, s.Config.Cap.MaxSendWR)
	for i := range list {
		binary.NativeEndian.PutUint64(s.Mem[8*i:], uint64(i))
		list[i] = send{ID: 1, Op: verbs.OpSend, SGEs: []verbs.SGE{s.SGE(8*i, 8)}}
	}
	list[len(list)-1].Flags = verbs.SendSignaled
	return list
}

// receiveOneByOne posts a receive for each of n numbered messages after the previous one has
// arrived.
func (s *side) receiveOneByOne(n int) error {
	for i := range n {
		start := testclock.Start()
		if _, err := s.TryPostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{s.SGE(0, 8)}}); err != nil {
			return err
		}
		err := repeat(1, func(int) (bool, error) { return pollNext(s.RecvCQ.CQ, uint64(i)) })
		if err != nil {
			return err
		}
		if took := start.Took(); took > arrivalLimit {
			return fmt.Errorf("message %d arrived %v after its receive was posted", i, took)
		}
		if got := binary.NativeEndian.Uint64(s.Mem); got != uint64(i) {
			return fmt.Errorf("message %d contains number %d", i, got)
		}
	}
	return nil
}

// TestTwoThreadsPostOnOneQP covers two threads that send on one QP to a receiver that is often too
// slow. Every message arrives once, and those of each thread in order.
func TestTwoThreadsPostOnOneQP(t *testing.T) {
	const each = 5000
	c := conf()
	c.RNRRetry = 7
	a, b := pair(t, c)
	poster := func(thread int) func() error {
		r, qp := fixture.NewRequests(t), a.QP
		w := send{ID: uint64(thread), Op: verbs.OpSendWithImm, Flags: verbs.SendSignaled}
		return func() error {
			return repeat(each, func(i int) (bool, error) {
				w.Imm = [4]byte{byte(thread), byte(i), byte(i >> 8)}
				_, err := qp.PostSend(r.SendList([]send{w}))
				if isFull(err) {
					return false, nil
				}
				return true, err
			})
		}
	}
	sent := [2]int{}
	runConcurrently(t, poster(0), poster(1), func() error {
		return repeat(2*each, func(int) (bool, error) {
			var wc [1]verbs.WC
			n, err := a.SendCQ.Poll(wc[:])
			if n == 1 {
				sent[wc[0].WRID]++
			}
			return n == 1, err
		})
	}, func() error { return b.receiveFromThreads(2 * each) })
	if sent != [2]int{each, each} {
		t.Errorf("completions of the threads: %v, want %d each", sent, each)
	}
}

// receiveFromThreads receives n messages, whose immediate data contains thread and number.
func (s *side) receiveFromThreads(n int) error {
	next := [2]int{}
	return repeat(n, func(i int) (bool, error) {
		if i%8 == 0 {
			for range 8 {
				if _, err := s.TryPostRecv(recv{}); err != nil {
					break // the receive queue is full
				}
			}
		}
		var wc [1]verbs.WC
		k, err := s.RecvCQ.Poll(wc[:])
		if k == 0 || err != nil {
			return false, err
		}
		thread, number := wc[0].Imm[0], int(wc[0].Imm[1])|int(wc[0].Imm[2])<<8
		if next[thread] != number {
			return false, fmt.Errorf("thread %d: message %d, want %d", thread, number, next[thread])
		}
		next[thread]++
		return true, nil
	})
}
