//go:build interleave

package interleave

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// All runs parties in all orders of their steps, and returns the number of orders. begin returns a new run each time. The
// error is that of the first run that fails, or says that there are more orders than most.
func All(most int, begin func() Run) (orders int, err error) {
	return Preempted(math.MaxInt, most, begin)
}

// Preempted is [All] for the orders in which a party that can go on gives way at most some times.
func Preempted(times, most int, begin func() Run) (orders int, err error) {
	s := search{times: times}
	for {
		s.begin()
		err := execute(begin(), s.choose)
		orders++
		switch {
		case err != nil:
			return orders, err
		case !s.next():
			return orders, nil
		case orders == most:
			return orders, fmt.Errorf("there are more than %d orders", most)
		}
	}
}

// search is a depth-first search of orders.
type search struct {
	times   int
	choices []choice // of the order in progress, or of the next one
	depth   int
	left    int // preemptions
}

// choice is one of some parties.
type choice struct{ taken, of int }

func (s *search) begin() { s.depth, s.left = 0, s.times }

// choose takes the choice of this depth, a new one begins with the party that ran last.
func (s *search) choose(ready []int, last int) int {
	if s.depth == len(s.choices) {
		of := len(ready)
		if last >= 0 && s.left == 0 {
			of = 1
		}
		s.choices = append(s.choices, choice{0, of})
	}
	taken := s.choices[s.depth].taken
	s.depth++
	switch {
	case last < 0:
		return taken
	case taken == 0:
		return last
	}
	s.left--
	if taken <= last {
		return taken - 1 // the others keep their order behind the one that ran last
	}
	return taken
}

// next moves to the next order, and reports whether there is one.
func (s *search) next() bool {
	for n := len(s.choices); n > 0; n-- {
		if c := &s.choices[n-1]; c.taken+1 < c.of {
			c.taken++
			return true
		}
		s.choices = s.choices[:n-1]
	}
	return false
}

// Random runs parties in n random orders.
func Random(seed uint64, n int, begin func() Run) error {
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		if err := execute(begin(), func(ready []int, _ int) int { return random.IntN(len(ready)) }); err != nil {
			return fmt.Errorf("order %d: %w", i, err)
		}
	}
	return nil
}
