package shm

import (
	"testing"
	"time"
)

// TestDelayTimerWakesForEarlierTime covers a waiter for a late time: it wakes at an earlier time
// that is set meanwhile, and not before.
func TestDelayTimerWakesForEarlierTime(t *testing.T) {
	a, err := newDelayTimer()
	check(t, err)
	defer a.close()
	for _, delay := range []time.Duration{0, spinTime, 10 * spinTime, 20 * time.Millisecond} {
		a.set(time.Now().Add(time.Hour))
		woken := make(chan time.Time)
		go func() {
			a.wait()
			woken <- time.Now()
		}()
		at := time.Now().Add(delay)
		a.set(at)
		select {
		case then := <-woken:
			if then.Before(at) {
				t.Errorf("woke %v too early", at.Sub(then))
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("wait did not return %v after an earlier time was set", delay)
		}
	}
	if now := time.Now(); !a.setDue(now.Add(time.Second)) || a.setDue(now.Add(2*time.Second)) || !a.setDue(now) {
		t.Error("setDue must return true exactly for times earlier than all before")
	}
}
