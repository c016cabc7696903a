//go:build interleave

package interleave

import (
	"errors"
	"strings"
	"testing"
)

// TestAllOrders: two parties of two and three accesses have 10 orders, each of which occurs once.
func TestAllOrders(t *testing.T) {
	seen := map[string]bool{}
	begin := func() Run {
		text := ""
		write := func(letter string, n int) func() {
			return func() {
				for i := range n {
					text += letter
					if i < n-1 {
						Step()
					}
				}
			}
		}
		return Run{[]func(){write("a", 2), write("b", 3)}, func() error {
			if seen[text] {
				t.Errorf("%s occurs twice", text)
			}
			seen[text] = true
			return nil
		}}
	}
	orders, err := All(100, begin)
	if err != nil || orders != 10 || len(seen) != 10 {
		t.Errorf("%d orders, %d different ones, %v, want 10", orders, len(seen), err)
	}
	for preemptions, want := range map[int]int{0: 2, 1: 5} { // aabbb and bbbaa; also abbba, baabb and bbaab
		clear(seen)
		if orders, err := Preempted(preemptions, 100, begin); err != nil || orders != want {
			t.Errorf("%d preemptions: %d orders, %v, want %d", preemptions, orders, err, want)
		}
	}
	clear(seen)
	if _, err := All(9, begin); err == nil || !strings.Contains(err.Error(), "more than 9 orders") {
		t.Errorf("error %v", err)
	}
}

// TestLostUpdateIsFound: two parties that load and then store lose an addition in some orders.
func TestLostUpdateIsFound(t *testing.T) {
	begin := func() Run {
		n := 0
		add := func() {
			Step()
			v := n
			Step()
			n = v + 1
		}
		return Run{[]func(){add, add}, func() error {
			if n != 2 {
				return errors.New("an addition is lost")
			}
			return nil
		}}
	}
	if _, err := All(100, begin); err == nil || !strings.Contains(err.Error(), "an addition is lost; order") {
		t.Errorf("all orders: %v", err)
	}
	if err := Random(1, 100, begin); err == nil {
		t.Error("100 random orders find nothing")
	}
}

// TestAwait: a party goes on when what it waits for holds; parties that wait for each other fail.
func TestAwait(t *testing.T) {
	run := func(second bool) func() Run {
		return func() Run {
			a, b := false, false
			return Run{Parties: []func(){
				func() { Await(func() bool { return b }); a = true },
				func() {
					b = second
					Await(func() bool { return a })
				},
			}}
		}
	}
	if _, err := All(100, run(true)); err != nil {
		t.Error(err)
	}
	if _, err := All(100, run(false)); err == nil || !strings.Contains(err.Error(), "2 parties wait for each other") {
		t.Errorf("error %v", err)
	}
}

// TestFailureEndsAllParties: a failing party ends the run, also parties that have not begun or wait.
func TestFailureEndsAllParties(t *testing.T) {
	_, err := All(100, func() Run {
		return Run{Parties: []func(){
			func() { Await(func() bool { return false }) },
			func() { Step(); Failf("value %d", 7) },
			func() { Step() },
		}}
	})
	if err == nil || !strings.Contains(err.Error(), "value 7; order") {
		t.Errorf("error %v", err)
	}
}
