package stats

import "math/bits"

// point is an edge: so many messages done in all at a time in nanoseconds.
type point struct {
	messages uint64
	time     int64
}

// span is what lies between two edges.
type span struct{ messages, ns uint64 }

func (p point) to(q point) span {
	return span{messages: q.messages - p.messages, ns: uint64(q.time - p.time)}
}

// rate returns messages per second, 0 for a span without time.
func (s span) rate() float64 {
	if s.ns == 0 {
		return 0
	}
	return float64(s.messages) / float64(s.ns) * 1e9
}

// atLeast tells whether s has at least t's rate, exactly. A span without time
// counts as infinitely fast.
func (s span) atLeast(t span) bool {
	high1, low1 := bits.Mul64(s.messages, t.ns)
	high2, low2 := bits.Mul64(t.messages, s.ns)
	return high1 > high2 || high1 == high2 && low1 >= low2
}

// peak finds the fastest span of at least window messages between any two edges
// of a stream, as the edges come (the maximum-density segment of Goldwasser, Kao
// and Lu, Chung and Lu). Drawn as messages over time, the edges rise to the
// right, and the fastest span that ends at an edge is the steepest line to it
// from one of the edges at least window messages below. Two rules keep the
// candidates few:
//
//   - Only corners of their lower convex hull can begin a steepest line.
//   - If the second corner begins a steeper line than the first, the first is
//     done with: a later line from it is only steeper than what was found if the
//     line from the second corner is steeper still.
//
// The edges that are not yet window messages old are at most window, for each
// has a message at least. A corner window messages above the second one would,
// when it was new, have retired the first, since the hull bends upwards: the
// corners are at most window+2.
type peak struct {
	window  uint64
	best    span
	recent  fifo // edges less than window messages old
	corners fifo // the lower convex hull of the older ones
}

func newPeak(window int) peak {
	return peak{window: uint64(window), recent: newFifo(window + 1), corners: newFifo(window + 3)}
}

func (p *peak) reset() {
	p.best = span{}
	p.recent.clear()
	p.corners.clear()
}

// add takes the next edge: more messages than the last one, and not earlier.
func (p *peak) add(edge point) {
	for p.recent.n > 0 && edge.messages-p.recent.at(0).messages >= p.window {
		p.corner(p.recent.at(0))
		p.recent.popFront()
	}
	p.recent.push(edge)
	for p.corners.n > 1 && p.corners.at(0).time < edge.time &&
		p.corners.at(0).to(edge).atLeast(p.corners.at(0).to(p.corners.at(1))) {
		p.corners.popFront()
	}
	if p.corners.n == 0 {
		return
	}
	if s := p.corners.at(0).to(edge); s.ns > 0 && s.atLeast(p.best) {
		p.best = s
	}
}

// corner makes c the last corner of the hull and removes those above it.
func (p *peak) corner(c point) {
	for n := p.corners.n; n > 1; n-- {
		a, b := p.corners.at(n-2), p.corners.at(n-1)
		if !a.to(b).atLeast(b.to(c)) {
			break
		}
		p.corners.popBack()
	}
	p.corners.push(c)
}
