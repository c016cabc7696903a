package shm_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// crew runs functions at once, the last one in the test's own goroutine, where
// it may end the test.
func crew(t *testing.T, work ...func() error) {
	t.Helper()
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, f := range work[:len(work)-1] {
		wg.Go(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	noError(t, work[len(work)-1]())
}

// repeat calls f, which may say that there was nothing to do, until it has done
// n things.
func repeat(n int, f func(i int) (bool, error)) error {
	end := time.Now().Add(deadline)
	for i := 0; i < n; {
		did, err := f(i)
		if err != nil {
			return fmt.Errorf("after %d of %d: %w", i, n, err)
		}
		if did {
			i++
			continue
		}
		if time.Now().After(end) {
			return fmt.Errorf("after %d of %d: %w", i, n, verbs.ErrTimeout)
		}
		runtime.Gosched()
	}
	return nil
}

func isFull(err error) bool {
	op, ok := err.(*verbs.OpError)
	return ok && op.Errno == syscall.ENOMEM
}

// TestTwoThreadsPoll: each completion goes to exactly one of them.
func TestTwoThreadsPoll(t *testing.T) {
	const messages = 20000
	a, b := pair(t, conf())
	seen := make([]atomic.Int32, messages)
	var got atomic.Int64
	poller := func() error {
		var wc [4]verbs.WC
		for end := time.Now().Add(deadline); got.Load() < messages && time.Now().Before(end); {
			n, err := a.sendCQ.Poll(wc[:])
			if err != nil {
				return err
			}
			for _, c := range wc[:n] {
				seen[c.WRID].Add(1)
			}
			if got.Add(int64(n)); n == 0 {
				runtime.Gosched()
			}
		}
		return nil
	}
	w := send{flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0)
	crew(t, poller, poller, func() error {
		return repeat(messages, func(i int) (bool, error) {
			w.id = uint64(i)
			_, err := a.post(w)
			if isFull(err) {
				return false, nil
			}
			return true, err
		})
	})
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Fatalf("completion %d was polled %d times", i, n)
		}
	}
}

// TestReceivePostedWhilePolled: one thread posts receives, another polls them,
// a third sends; no message is taken for a fault.
func TestReceivePostedWhilePolled(t *testing.T) {
	const messages = 20000
	c := conf()
	c.rnrRetry, c.rnrTimer = 7, 1
	a, b := pair(t, c)
	w := send{op: verbs.OpSend, flags: verbs.SendSignaled, sges: []verbs.SGE{a.sge(0, 8)}}
	crew(t, func() error {
		return repeat(messages, func(i int) (bool, error) {
			_, err := b.postRecv(recv{id: uint64(i), sges: []verbs.SGE{b.sge(0, 8)}})
			if isFull(err) {
				return false, nil
			}
			return true, err
		})
	}, func() error {
		return repeat(messages, func(i int) (bool, error) { return pollNext(b.recvCQ, uint64(i)) })
	}, func() error {
		return repeat(messages, func(i int) (bool, error) {
			_, err := a.post(w)
			if isFull(err) {
				return false, nil
			}
			return true, err
		})
	}, func() error {
		return repeat(messages, func(i int) (bool, error) { return pollNext(a.sendCQ, 0) })
	})
}

// pollNext polls one completion, which must be a success with the wr_id.
func pollNext(cq verbs.CQ, id uint64) (bool, error) {
	var wc [1]verbs.WC
	n, err := cq.Poll(wc[:])
	if n == 1 && (wc[0].Status != verbs.WCSuccess || wc[0].WRID != id) {
		err = fmt.Errorf("wr_id %d %s, want wr_id %d", wc[0].WRID, wc[0].Status, id)
	}
	return n == 1, err
}
