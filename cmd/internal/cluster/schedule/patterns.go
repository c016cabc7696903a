package schedule

import "slices"

// The patterns of the first rounds of a run.
const (
	PatternCircle    = "circle"     // each node meets others, in random order
	PatternRing      = "ring"       // each node meets the next one and the one before
	PatternBisection = "bisection"  // each node of the first half meets one of the second
	PatternOneToAll  = "one-to-all" // the first node is the client of all others
	PatternAllToOne  = "all-to-one" // the first node is the server of all others
)

// Patterns returns the names of all patterns.
func Patterns() []string {
	return []string{PatternCircle, PatternRing, PatternBisection, PatternOneToAll, PatternAllToOne}
}

// OneTestEach reports whether in the rounds of a pattern each node has at most one test, so that all can run together.
func OneTestEach(pattern string) bool {
	return pattern != PatternOneToAll && pattern != PatternAllToOne
}

// patternRounds returns the rounds of n nodes in a pattern other than the circle. The first node of a pair is the server.
func patternRounds(pattern string, n int) [][]Pair {
	switch pattern {
	case PatternRing:
		return ring(n)
	case PatternBisection:
		return [][]Pair{bisection(n)}
	case PatternOneToAll:
		return [][]Pair{star(n, func(other int) Pair { return Pair{other, 0} })}
	case PatternAllToOne:
		return [][]Pair{star(n, func(other int) Pair { return Pair{0, other} })}
	}
	return nil
}

// ring returns two rounds in which each node meets its neighbors, or three of an odd number of nodes.
func ring(n int) [][]Pair {
	rounds := make([][]Pair, 3)
	for i := range n {
		round := i % 2
		if i == n-1 && n%2 == 1 {
			round = 2 // both neighbors are busy in the others
		}
		if i == n-1 && n == 2 {
			break // the same two nodes
		}
		rounds[round] = append(rounds[round], Pair{i, (i + 1) % n})
	}
	return slices.DeleteFunc(rounds, func(r []Pair) bool { return len(r) == 0 })
}

// bisection returns a round of nodes of the first half with those of the second. Of an odd number the last one pauses.
func bisection(n int) (pairs []Pair) {
	for i := range n / 2 {
		pairs = append(pairs, Pair{i, i + n/2})
	}
	return pairs
}

func star(n int, of func(other int) Pair) (pairs []Pair) {
	for other := 1; other < n; other++ {
		pairs = append(pairs, of(other))
	}
	return pairs
}
