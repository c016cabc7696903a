package shm

import (
	"errors"
	"testing"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// TestCloseWaitsForAcknowledgement covers a QP with a fetched event: Close destroys it and drops
// its other events, and returns when the event is acknowledged.
func TestCloseWaitsForAcknowledgement(t *testing.T) {
	c, err := open(listed[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pd, err := c.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	cq, err := c.CreateCQ(8, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	made, err := pd.CreateQP(&verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeRC})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c.raise(verbs.AsyncEvent{Type: verbs.EventSQDrained, QP: made})
	}
	c.raise(verbs.AsyncEvent{Type: verbs.EventPortActive, Port: 1})
	fetched, err := c.GetAsyncEvent(time.Second)
	if err != nil || fetched.QP != made {
		t.Fatalf("GetAsyncEvent: %+v, %v", fetched, err)
	}
	closed := make(chan error)
	go func() { closed <- made.Close() }()
	next, err := c.GetAsyncEvent(time.Second)
	for err == nil && next.Type != verbs.EventPortActive { // the second event may be fetched before Close drops it
		c.AckAsyncEvent(next)
		next, err = c.GetAsyncEvent(time.Second)
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-closed:
		t.Fatalf("Close returned %v before the event was acknowledged", err)
	case <-time.After(50 * time.Millisecond):
	}
	if q := made.(*qp); !q.modify.TryLock() {
		t.Error("the QP is locked while Close waits")
	} else {
		q.modify.Unlock()
	}
	c.AckAsyncEvent(fetched)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	c.raise(verbs.AsyncEvent{Type: verbs.EventSQDrained, QP: made})
	if e, err := c.GetAsyncEvent(0); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("event of a destroyed QP: %+v, %v", e, err)
	}
}
