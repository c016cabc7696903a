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
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// runConcurrently runs functions concurrently, the last one in the test's own goroutine, where it
// may end the test.
func runConcurrently(t *testing.T, work ...func() error) {
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

// repeat calls f until it has returned true n times; f returns false if it could do nothing.
func repeat(n int, f func(i int) (bool, error)) error {
	end := time.Now().Add(fixture.WaitTimeout)
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

// TestTwoThreadsPollOneCQ covers that each completion goes to exactly one thread.
func TestTwoThreadsPollOneCQ(t *testing.T) {
	const messages = 20000
	a, b := pair(t, conf())
	seen := make([]atomic.Int32, messages)
	var got atomic.Int64
	poller := func() error {
		var wc [4]verbs.WC
		for end := time.Now().Add(fixture.WaitTimeout); got.Load() < messages && time.Now().Before(end); {
			n, err := a.SendCQ.Poll(wc[:])
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
	w := send{Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0)
	runConcurrently(t, poller, poller, func() error {
		return repeat(messages, func(i int) (bool, error) {
			w.ID = uint64(i)
			_, err := a.TryPost(w)
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

// TestReceivePostedWhilePolled covers one thread that posts receives, one that polls them, and one
// that sends: no record is mistaken for one without a receive.
func TestReceivePostedWhilePolled(t *testing.T) {
	const messages = 20000
	c := conf()
	c.RNRRetry, c.RNRTimer = 7, 1
	a, b := pair(t, c)
	w := send{Op: verbs.OpSend, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}
	runConcurrently(t, func() error {
		return repeat(messages, func(i int) (bool, error) {
			_, err := b.TryPostRecv(recv{ID: uint64(i), SGEs: []verbs.SGE{b.SGE(0, 8)}})
			if isFull(err) {
				return false, nil
			}
			return true, err
		})
	}, func() error {
		return repeat(messages, func(i int) (bool, error) { return pollNext(b.RecvCQ.CQ, uint64(i)) })
	}, func() error {
		return repeat(messages, func(i int) (bool, error) {
			_, err := a.TryPost(w)
			if isFull(err) {
				return false, nil
			}
			return true, err
		})
	}, func() error {
		return repeat(messages, func(i int) (bool, error) { return pollNext(a.SendCQ.CQ, 0) })
	})
}

// pollNext polls one completion, which must be successful and have the wr_id.
func pollNext(cq verbs.CQ, id uint64) (bool, error) {
	var wc [1]verbs.WC
	n, err := cq.Poll(wc[:])
	if n == 1 && (wc[0].Status != verbs.WCSuccess || wc[0].WRID != id) {
		err = fmt.Errorf("wr_id %d %s, want wr_id %d", wc[0].WRID, wc[0].Status, id)
	}
	return n == 1, err
}
