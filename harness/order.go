package harness

import "math/rand/v2"

// The order of a comparison is random and balanced. Each round visits all sizes in a random order. At
// each size it measures the modes in one row of a Williams design: in all rows of a design each mode
// follows each other mode equally often, so that what a mode leaves behind (caches, an idle CPU)
// affects all others alike (Williams, Experimental Designs Balanced for the Estimation of Residual
// Effects, 1949).

// order is the order in which a comparison measures sizes and modes.
type order struct {
	seed         uint64
	sizes, modes int
}

// sizesOf returns the order of the sizes in a round. Rounds are counted over all runs.
func (o order) sizesOf(round int) []int {
	return rand.New(rand.NewPCG(o.seed, uint64(round)<<1)).Perm(o.sizes)
}

// modesOf returns the order of the modes of a size in a round. Successive rounds use the rows of a design
// in random order, then those of another one.
func (o order) modesOf(round, size int) []int {
	design := williams(o.modes)
	pass := round / len(design)
	random := rand.New(rand.NewPCG(o.seed, uint64(pass*o.sizes+size)<<1|1))
	names, rows := random.Perm(o.modes), random.Perm(len(design))
	row := design[rows[round%len(design)]]
	for i, m := range row {
		row[i] = names[m]
	}
	return row
}

// queueOrder returns the order in which a run creates the queues of all planned modes. It is another one in
// each run, because rows of the same mode on queues at other places in memory differed by up to 5 %.
func queueOrder(seed uint64, run, modes int) []int {
	return rand.New(rand.NewPCG(seed, ^uint64(run))).Perm(modes)
}

// williams returns a Williams design of n modes: n rows, or 2n rows if n is odd.
func williams(n int) (rows [][]int) {
	for i := range n {
		row := make([]int, n)
		for k := range row { // 0, n-1, 1, n-2, ...: all differences between neighbors occur once
			row[k] = (i + (k+1)/2) % n
			if k%2 == 1 {
				row[k] = (i + n - (k+1)/2) % n
			}
		}
		if rows = append(rows, row); n%2 == 1 {
			rows = append(rows, reversed(row))
		}
	}
	return rows
}

func reversed(row []int) []int {
	back := make([]int, 0, len(row))
	for i := len(row) - 1; i >= 0; i-- {
		back = append(back, row[i])
	}
	return back
}
