//go:build linux && cgo

package ibv

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestMemoryOfAClosedCQ: libibverbs may reuse the memory of a CQ for the next CQ before
// destroy_cq has returned. Events then name the new CQ.
func TestMemoryOfAClosedCQ(t *testing.T) {
	if !onStub(t) {
		return
	}
	t.Setenv("STUB_EVENTS", "1")
	c := stubContext(t)
	ch := stubChannel(t, c)
	old := made(c.CreateCQ(1, nil, 0))(t)
	memory := old.(*cq).c
	t.Setenv("STUB_REUSE", "1")
	closed := make(chan error, 1)
	go func() { closed <- old.Close() }()
	next := made(c.CreateCQ(2, ch, 0))(t)
	if next.(*cq).c != memory {
		t.Fatal("the memory was not used again")
	}
	made(0, next.ReqNotify(false))(t)
	made(0, <-closed)(t)
	got, err := ch.GetEvent(patience)
	if err != nil || got != next {
		t.Errorf("the event names %v, want %v: %v", got, next, err)
	}
	next.AckEvents(1)
	t.Setenv("STUB_REUSE", "0")
	made(0, next.Close())(t)
}

// TestCreateAndCloseUnderLoad: goroutines that create, arm and close CQs of one context
// each get the events of their own.
func TestCreateAndCloseUnderLoad(t *testing.T) {
	if !onStub(t) {
		return
	}
	t.Setenv("STUB_EVENTS", "1")
	c := stubContext(t)
	var all sync.WaitGroup
	end := time.Now().Add(*length)
	for range 4 {
		ch := stubChannel(t, c)
		all.Go(func() {
			for time.Now().Before(end) && !t.Failed() {
				if err := createAndClose(c, ch); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func createAndClose(c verbs.Context, ch verbs.CompChannel) error {
	q, err := c.CreateCQ(1, ch, 0)
	if err == nil {
		err = q.ReqNotify(false)
	}
	if err != nil {
		return err
	}
	got, err := ch.GetEvent(patience)
	if err == nil && got != q {
		err = errors.New("the event is not of the CQ that was armed")
	}
	q.AckEvents(1)
	return errors.Join(err, q.Close())
}
