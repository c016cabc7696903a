//go:build lockorder

package lockorder

import (
	"fmt"
	"strings"
	"testing"
)

type unknown struct{}

func (unknown) kind() {}

// noted runs as if the device acquired locks, in this order, and returns the panic, "" for none.
func noted(kinds ...Kind) (panicked string) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprint(p)
		}
		clear(held)
	}()
	for _, k := range kinds {
		Check(k)
		held[goroutine()] = append(held[goroutine()], k)
	}
	return ""
}

func TestOrderIsChecked(t *testing.T) {
	for _, c := range []struct {
		kinds []Kind
		want  string
	}{
		{[]Kind{Modify{}, CQ{}, AsyncEvents{}}, ""},
		{[]Kind{Peer{}, CQ{}}, "waits for lockorder.CQ and holds lockorder.Peer"},
		{[]Kind{Modify{}, Peer{}, List{}, Notifier{}}, "waits for lockorder.Notifier and holds lockorder.List"},
		{[]Kind{CQ{}, CQ{}}, "waits for lockorder.CQ and holds lockorder.CQ"},
		{[]Kind{unknown{}, CQ{}}, "lockorder.Order has no lockorder.unknown"},
	} {
		if got := noted(c.kinds...); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%T: panic %q, want %q", c.kinds, got, c.want)
		}
	}
}

// TestLocksOfTests covers that locks that a test acquires do not count, and that released ones do not either.
func TestLocksOfTests(t *testing.T) {
	var inner Mutex[AsyncEvents]
	var outer Mutex[Modify]
	inner.Lock()
	outer.Lock()
	outer.Unlock()
	inner.Unlock()
	held[goroutine()] = []Kind{Peer{}}
	Release(Peer{})
	if Check(CQ{}); len(held) > 0 {
		t.Errorf("held %v", held)
	}
}

// TestOrderHasEachKindOnce: an order with a kind twice would allow both orders of two locks.
func TestOrderHasEachKindOnce(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Order {
		if seen[k] {
			t.Errorf("%T is there twice", k)
		}
		seen[k] = true
	}
}
