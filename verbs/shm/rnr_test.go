package shm_test

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// soon is when work that can proceed is to have done so. The device looks after it
// every millisecond.
const soon = 200 * time.Millisecond

// TestSenderOutrunsReceiver: a full send queue, long or short, meets receives that are posted one by
// one. Each message arrives soon after its receive, in order, whoever carries it out:
// the thread that polls, the device when nobody polls, or when somebody sleeps for
// the completion.
func TestSenderOutrunsReceiver(t *testing.T) {
	cases := map[string]func(a *side, done *atomic.Bool) error{
		"polled": func(a *side, done *atomic.Bool) error {
			return repeat(1, func(int) (bool, error) { return pollNext(a.sendCQ, 1) })
		},
		"left alone": func(a *side, done *atomic.Bool) error {
			return repeat(1, func(int) (bool, error) { time.Sleep(time.Millisecond); return done.Load(), nil })
		},
		"slept for": func(a *side, done *atomic.Bool) error {
			cq, err := a.ch.GetEvent(deadline)
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
				c.oneCQ, c.channel, c.rnrRetry, c.cap.MaxSendWR = true, true, 7, n
				c.rnrTimer = 0 // 655 ms: only the receive ends the wait
				a, b := warmPair(t, c)
				var done atomic.Bool
				a.mustPost(t, a.numbered()...)
				if name == "slept for" {
					noError(t, a.sendCQ.ReqNotify(false))
				}
				crew(t, func() error { return wait(a, &done) }, func() error {
					defer done.Store(true)
					return b.receiveOneByOne(n)
				})
				if name != "polled" {
					pollOne(t, a.sendCQ, 1, verbs.WCSuccess)
				}
			})
		}
	}
}

// numbered is a list that fills the send queue: each message has its number.
func (s *side) numbered() []send {
	list := make([]send, s.conf.cap.MaxSendWR)
	for i := range list {
		binary.NativeEndian.PutUint64(s.mem[8*i:], uint64(i))
		list[i] = send{id: 1, op: verbs.OpSend, sges: []verbs.SGE{s.sge(8*i, 8)}}
	}
	list[len(list)-1].flags = verbs.SendSignaled
	return list
}

// receiveOneByOne posts a receive for each of n numbered messages when the one before
// has come.
func (s *side) receiveOneByOne(n int) error {
	for i := range n {
		start := time.Now()
		if _, err := s.postRecv(recv{id: uint64(i), sges: []verbs.SGE{s.sge(0, 8)}}); err != nil {
			return err
		}
		err := repeat(1, func(int) (bool, error) { return pollNext(s.recvCQ, uint64(i)) })
		if err != nil {
			return err
		}
		if took := time.Since(start); took > soon {
			return fmt.Errorf("message %d came %v after its receive was posted", i, took)
		}
		if got := binary.NativeEndian.Uint64(s.mem); got != uint64(i) {
			return fmt.Errorf("message %d is number %d", i, got)
		}
	}
	return nil
}

// TestTwoThreadsPost: two threads send on one QP to a receiver that is often too slow.
// Every message arrives once, and those of a thread in order.
func TestTwoThreadsPost(t *testing.T) {
	const each = 5000
	c := conf()
	c.rnrRetry = 7
	a, b := pair(t, c)
	poster := func(thread int) func() error {
		r, qp := newRequests(t), a.qp
		w := send{id: uint64(thread), op: verbs.OpSendWithImm, flags: verbs.SendSignaled}
		return func() error {
			return repeat(each, func(i int) (bool, error) {
				w.imm = [4]byte{byte(thread), byte(i), byte(i >> 8)}
				_, err := qp.PostSend(r.sendList([]send{w}))
				if isFull(err) {
					return false, nil
				}
				return true, err
			})
		}
	}
	sent := [2]int{}
	crew(t, poster(0), poster(1), func() error {
		return repeat(2*each, func(int) (bool, error) {
			var wc [1]verbs.WC
			n, err := a.sendCQ.Poll(wc[:])
			if n == 1 {
				sent[wc[0].WRID]++
			}
			return n == 1, err
		})
	}, func() error { return b.receiveFromTwo(2 * each) })
	if sent != [2]int{each, each} {
		t.Errorf("completions of the threads: %v, want %d each", sent, each)
	}
}

// receiveFromTwo receives n messages, whose immediate data tells thread and number.
func (s *side) receiveFromTwo(n int) error {
	next := [2]int{}
	return repeat(n, func(i int) (bool, error) {
		if i%8 == 0 {
			for range 8 {
				if _, err := s.postRecv(recv{}); err != nil {
					break // these are posted already
				}
			}
		}
		var wc [1]verbs.WC
		k, err := s.recvCQ.Poll(wc[:])
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
