// Package schedule decides which pairs of nodes are tested in each round. A node has at most one test in a round.
package schedule

// A Pair is two nodes that are tested with each other.
type Pair [2]int

// Rounds returns the number of rounds in which each of n nodes meets all others.
func Rounds(n int) int { return n - 1 + n%2 }

// Circle returns the pairs of one of the rounds of n nodes, by the circle method. Of an odd number of nodes another
// one pauses in each round.
func Circle(n, round int) []Pair {
	turning := Rounds(n) // all nodes but the last one turn; of an odd number all do
	at := func(i int) int { return (round + i) % turning }
	pairs := make([]Pair, 0, n/2)
	if n%2 == 0 {
		pairs = append(pairs, Pair{at(0), n - 1})
	}
	for i := 1; i <= (turning-1)/2; i++ {
		pairs = append(pairs, Pair{at(i), at(turning - i)})
	}
	return pairs
}
