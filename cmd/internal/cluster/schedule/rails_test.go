package schedule

import (
	"math/rand/v2"
	"testing"
)

// TestRails: devices of one rail meet all others of it, and no device of another rail. Each device has one test in a round.
func TestRails(t *testing.T) {
	const n, rails = 6, 3
	for _, together := range []bool{false, true} {
		r, met := NewRails(n, rails, together, PatternCircle, 16, rand.New(rand.NewPCG(1, 2))), map[Pair]bool{}
		for r.Full() {
			pairs := r.Next(nil, nil, nil)
			wantOneTestEach(t, n*rails, pairs)
			for i, p := range pairs {
				if p[0]%rails != p[1]%rails {
					t.Errorf("together %v: %v are of two rails", together, p)
				}
				if first := pairs[i-i%rails]; together && (p[0]/rails != first[0]/rails || p[1]/rails != first[1]/rails || p[0]%rails != i%rails) {
					t.Errorf("%v does not follow the pair of the first rail, %v", p, first)
				}
				met[ordered(p)] = true
			}
		}
		if want := rails * n * (n - 1) / 2; len(met) != want {
			t.Errorf("together %v: %d pairs met, want %d", together, len(met), want)
		}
		if pairs := r.Next(nil, nil, nil); pairs != nil {
			t.Errorf("together %v: %v although all is decided", together, pairs)
		}
	}
}

// TestRetestOfARail: an undecided device meets others of its rail; together, all devices of its node do. Devices of
// the other rails have no tests otherwise.
func TestRetestOfARail(t *testing.T) {
	const n, rails, undecided = 6, 2, 3 // rail 1 of node 1
	var good []int
	for device := range n * rails {
		if device != undecided {
			good = append(good, device)
		}
	}
	for together, want := range map[bool]int{false: 3, true: 6} {
		r := NewRails(n, rails, together, PatternRing, 16, rand.New(rand.NewPCG(1, 2)))
		for r.Full() {
			r.Next(nil, nil, nil)
		}
		pairs, tested := r.Next([]int{undecided}, good, nil), 0
		for _, p := range pairs {
			if p[0] == undecided {
				tested++
			}
			if p[0]%rails != p[1]%rails || !together && p[0]%rails != 1 {
				t.Errorf("together %v: %v", together, p)
			}
		}
		if len(pairs) != want || tested != 1 {
			t.Errorf("together %v: %v, want %d pairs, one of them with device %d", together, pairs, want, undecided)
		}
		low := [][2]int{{2, 6}}
		if pairs := r.Next(nil, good, low); len(pairs) == 0 || pairs[0] != Pair(low[0]) {
			t.Errorf("together %v: %v, want the low pair %v first", together, pairs, low[0])
		}
	}
}
