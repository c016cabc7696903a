package harness

import (
	"slices"
	"testing"
)

// In a whole pass over a design each mode follows each other mode equally often, and has each position
// equally often.
func TestModesFollowEachOtherEquallyOften(t *testing.T) {
	for modes := 1; modes <= 8; modes++ {
		o := order{seed: 7, sizes: 3, modes: modes}
		rounds := len(williams(modes))
		for size := range o.sizes {
			follows, positions := map[[2]int]int{}, map[[2]int]int{}
			for round := rounds; round < 3*rounds; round++ {
				row := o.modesOf(round, size)
				for i, m := range row {
					if positions[[2]int{m, i}]++; i > 0 {
						follows[[2]int{row[i-1], m}]++
					}
				}
			}
			if len(positions) != modes*modes || len(follows) != modes*(modes-1) {
				t.Fatalf("%d modes: %d positions, %d pairs of neighbors", modes, len(positions), len(follows))
			}
			for pair, n := range follows {
				if want := 2 * rounds / modes; n != want {
					t.Errorf("%d modes: %d follows %d in %d rounds, want %d", modes, pair[1], pair[0], n, want)
				}
			}
			for at, n := range positions {
				if want := 2 * rounds / modes; n != want {
					t.Errorf("%d modes: %d is at position %d in %d rounds, want %d", modes, at[0], at[1], n, want)
				}
			}
		}
	}
}

// The seed decides the order: the same seed gives the same order, another one another, and sizes do not
// share one.
func TestOrderFollowsTheSeed(t *testing.T) {
	a, b := order{seed: 1, sizes: 23, modes: 5}, order{seed: 2, sizes: 23, modes: 5}
	if !slices.Equal(a.sizesOf(3), a.sizesOf(3)) || !slices.Equal(a.modesOf(3, 4), a.modesOf(3, 4)) {
		t.Error("a seed has two orders")
	}
	if slices.Equal(a.sizesOf(3), b.sizesOf(3)) || slices.Equal(a.sizesOf(3), a.sizesOf(4)) {
		t.Error("two seeds, or two rounds, have the same order of sizes")
	}
	alike := 0
	for round := range 10 {
		if slices.Equal(a.modesOf(round, 0), a.modesOf(round, 1)) {
			alike++
		}
	}
	if alike == 10 {
		t.Error("two sizes have the same order of modes in every round")
	}
	if sizes := a.sizesOf(0); !slices.Equal(slices.Sorted(slices.Values(sizes)), slices.Sorted(slices.Values(a.sizesOf(9)))) || len(sizes) != 23 {
		t.Errorf("a round visits the sizes %v", sizes)
	}
}
