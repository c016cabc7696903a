package shm

import (
	"testing"
	"time"
)

// TestAlarm: who sleeps for a late time is woken at an earlier one that is set meanwhile, and not
// before it.
func TestAlarm(t *testing.T) {
	a, err := newAlarm()
	check(t, err)
	defer a.close()
	for _, most := range []time.Duration{0, alarmEarly, 10 * alarmEarly, 20 * time.Millisecond} {
		a.set(time.Now().Add(time.Hour))
		woken := make(chan time.Time)
		go func() {
			a.await()
			woken <- time.Now()
		}()
		at := time.Now().Add(most)
		a.set(at)
		select {
		case then := <-woken:
			if then.Before(at) {
				t.Errorf("woken %v too early", at.Sub(then))
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("nobody is woken %v after the time was set", most)
		}
	}
	if now := time.Now(); !a.note(now.Add(time.Second)) || a.note(now.Add(2*time.Second)) || !a.note(now) {
		t.Error("the engine is to be roused for what is earlier than all before, and for that alone")
	}
}
