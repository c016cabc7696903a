package main

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ibperf/ibperf/internal/memfd"
	"github.com/ibperf/ibperf/internal/place"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// sizes are those of the messages, in bytes: the powers of four from 8 to 8 MiB.
func sizes() (all []int) {
	for size := 8; size < 8<<20; size *= 4 {
		all = append(all, size)
	}
	return append(all, 8<<20)
}

// A turn copies so many bytes, but within bounds: it is to take about a millisecond,
// in which the machine hardly changes and the clock's own time is nothing.
const (
	turnBytes = 16 << 20
	turnMost  = 1 << 18 // copies
	turnLeast = 2
)

// copies is how many copies of a message make a turn.
func copies(size int) int { return max(turnLeast, min(turnMost, turnBytes/size)) }

// unordered is Go's copy, called as place.Ordered is.
//
//go:noinline
func unordered(dst, src []byte) { copy(dst, src) }

// measure copies messages of each size both ways in so many rounds.
func measure(sizes []int, rounds int) ([]comparison.Line, error) {
	most := 0
	for _, size := range sizes {
		most = max(most, size)
	}
	src, dst, free, err := buffers(most)
	if err != nil {
		return nil, err
	}
	defer free()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	lines := make([]comparison.Line, len(sizes))
	for i, size := range sizes {
		lines[i] = newLine(size)
	}
	for round := range rounds {
		for i, size := range sizes {
			lines[i].Add(pair(dst[:size], src[:size], round%2 == 1))
		}
	}
	return lines, nil
}

// pair returns the nanoseconds of a copy in order and of one in no order, of which
// the second is made first if swapped.
func pair(dst, src []byte, swapped bool) (ordered, other float64) {
	if swapped {
		other = turn(unordered, dst, src)
		return turn(place.Ordered, dst, src), other
	}
	ordered = turn(place.Ordered, dst, src)
	return ordered, turn(unordered, dst, src)
}

// turn returns the mean nanoseconds of a copy. One goes before, which fetches into
// the caches what they hold.
func turn(place func(dst, src []byte), dst, src []byte) float64 {
	n := copies(len(src))
	place(dst, src)
	start := time.Now()
	for range n {
		place(dst, src)
	}
	return float64(time.Since(start)) / float64(n)
}

// buffers makes two of shared memory and touches all of it.
func buffers(size int) (src, dst []byte, free func(), err error) {
	from, err := memfd.New("ordercost", size)
	if err != nil {
		return nil, nil, nil, err
	}
	to, err := memfd.New("ordercost", size)
	if err != nil {
		from.Close()
		return nil, nil, nil, err
	}
	src, dst = from.Bytes(), to.Bytes()
	for i := range src {
		src[i], dst[i] = byte(i), 1
	}
	return src, dst, func() { from.Close(); to.Close() }, nil
}

func newLine(size int) comparison.Line {
	const how = ": one thread copies the message between the same places of two shared buffers"
	return comparison.Line{
		Test: "copy", Size: size, Arrival: "data", Metric: comparison.MetricTime,
		Parameters: map[string]int{"copies": copies(size)},
		Subject: comparison.Values{Program: comparison.Program{Name: "ibperf", Release: "place.Ordered"}, Part: "in order",
			Definition: "mean time of a copy by place.Ordered" + how, Command: []string{}},
		Reference: comparison.Values{Program: comparison.Program{Name: "Go", Release: runtime.Version()}, Part: "copy",
			Definition: "mean time of a copy by Go's copy" + how, Command: []string{}},
	}
}
