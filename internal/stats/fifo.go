package stats

import "math/bits"

// fifo is a queue of points in a ring of fixed size, a power of two. Its user
// knows that it never holds more.
type fifo struct {
	ring []point
	head int // the first point, modulo the ring's size
	n    int
}

// newFifo returns an empty queue for capacity points, or more.
func newFifo(capacity int) fifo {
	return fifo{ring: make([]point, 1<<bits.Len(uint(capacity-1)))}
}

func (f *fifo) clear() { f.head, f.n = 0, 0 }

// at returns the i-th point from the front.
func (f *fifo) at(i int) point { return f.ring[(f.head+i)&(len(f.ring)-1)] }

func (f *fifo) push(p point) {
	f.ring[(f.head+f.n)&(len(f.ring)-1)] = p
	f.n++
}

func (f *fifo) popFront() {
	f.head++
	f.n--
}

func (f *fifo) popBack() { f.n-- }
