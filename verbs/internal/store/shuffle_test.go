package store

import (
	"slices"
	"testing"
)

// walk returns the indexes in the order in which shuffle and scatter visit them.
func walk(n, first, step int) (visited []int) {
	for i := first; len(visited) < n; i = (i + step) % n {
		visited = append(visited, i)
	}
	return visited
}

func TestOrderIsAPermutation(t *testing.T) {
	s := NewShuffler(1)
	for n := 1; n <= 600; n++ {
		for range 10 {
			first, step := s.order(n)
			visited := walk(n, first, step)
			slices.Sort(visited)
			for i, v := range visited {
				if i != v {
					t.Fatalf("n=%d first=%d step=%d does not visit every index once", n, first, step)
				}
			}
		}
	}
}

func TestLastIndexIsRarelyLast(t *testing.T) {
	const draws = 3000
	s := NewShuffler(1)
	for n := 2; n <= 130; n++ {
		last := 0
		for range draws {
			first, step := s.order(n)
			if (first+(n-1)*step)%n == n-1 {
				last++
			}
		}
		if last > draws*3/10 {
			t.Errorf("n=%d: the last index came last in %d of %d orders", n, last, draws)
		}
	}
}

func TestAllOrdersOfTwoAndThreeAreDrawn(t *testing.T) {
	s := NewShuffler(1)
	for n, want := range map[int]int{2: 2, 3: 6} {
		seen := map[[3]int]bool{}
		for range 1000 {
			first, step := s.order(n)
			var order [3]int
			copy(order[:], walk(n, first, step))
			seen[order] = true
		}
		if len(seen) != want {
			t.Errorf("%d of %d orders of %d indexes were drawn", len(seen), want, n)
		}
	}
}

func TestSeedDeterminesOrder(t *testing.T) {
	dst, src := make([]byte, 5000), source(5000)
	a, b, other := NewShuffler(7), NewShuffler(7), NewShuffler(8)
	differ := false
	for size := 1; size < len(src); size += 97 {
		a.Bytes([]Piece{{dst, src[:size], 9}})
		b.Bytes([]Piece{{dst, src[:size], 9}})
		a1, a2 := a.order(1000)
		b1, b2 := b.order(1000)
		o1, o2 := other.order(1000)
		if a1 != b1 || a2 != b2 {
			t.Fatalf("after a message of %d bytes the same seed gives different orders", size)
		}
		differ = differ || a1 != o1 || a2 != o2
	}
	if !differ {
		t.Error("different seeds give the same orders")
	}
}

// TestDerivedShufflersAreIndependent covers that the n-th derived Shuffler does not depend on what
// others have drawn, and that no two are equal.
func TestDerivedShufflersAreIndependent(t *testing.T) {
	a, b := NewShuffler(7), NewShuffler(7)
	seen := map[[2]int]uint64{}
	for n := range uint64(1000) {
		x, y := a.Of(n), b.Of(n)
		first, step := x.order(1 << 40)
		x.order(3) // must not affect y
		if f, s := y.order(1 << 40); f != first || s != step {
			t.Fatalf("derived Shufflers %d of one seed draw %d+%d and %d+%d", n, first, step, f, s)
		}
		if m, ok := seen[[2]int{first, step}]; ok {
			t.Fatalf("derived Shufflers %d and %d draw the same order", m, n)
		}
		seen[[2]int{first, step}] = n
	}
	late := 0
	for n := range uint64(80_000) {
		if s := a.Of(n); s.OneIn(8) {
			late++
		}
	}
	if late < 9_500 || late > 10_500 {
		t.Errorf("OneIn(8) of 80,000 derived Shufflers was true %d times", late)
	}
}

func TestScatterStoresInTheOrderDrawn(t *testing.T) {
	s := NewShuffler(1)
	src := source(block + 1)[1:]
	for n := 1; n <= block; n++ {
		first, step := s.order(n)
		visited := walk(n, first, step)
		for count := 0; count <= n; count++ {
			dst, want := make([]byte, n), make([]byte, n)
			for _, i := range visited[:count] {
				want[i] = src[i]
			}
			next := scatter(&dst[0], &src[0], n, first, step, count)
			if !slices.Equal(dst, want) {
				t.Fatalf("n=%d: the first %d stores are not those of the order", n, count)
			}
			if count < n && next != visited[count] {
				t.Fatalf("n=%d: %d comes after %d stores, want %d", n, next, count, visited[count])
			}
		}
	}
}
