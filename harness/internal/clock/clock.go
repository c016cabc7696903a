// Package clock reads the two clocks of a timed loop: the time that passes and
// the CPU time that the loop's thread uses.
package clock

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Clock is the clock of one measurement: the CPU's time stamp counter if that has a constant rate,
// otherwise CLOCK_MONOTONIC. It converts with the counter's rate from the time when the Clock was
// made, so the length of its nanoseconds does not change.
type Clock struct {
	tsc     bool
	start   pair
	mult    uint64       // nanoseconds of a tick, times 2^32
	virtual func() int64 // read instead of both, if it is not nil
}

// New returns a clock with the rate of the counter since the program began. It does not spin to
// measure the rate: its first pair of readings is from the start of the program.
func New() *Clock { return newClock(hasTSC) }

// Func returns a clock that reads now, in nanoseconds, for tests with virtual time.
func Func(now func() int64) *Clock { return &Clock{virtual: now} }

func newClock(tsc bool) *Clock {
	if !tsc {
		return &Clock{}
	}
	if age := time.Since(base); age < baseline {
		time.Sleep(baseline - age)
	}
	p := readPair()
	rate := float64(p.ns-first.ns) / float64(p.ticks-first.ticks)
	return &Clock{tsc: true, start: p, mult: uint64(rate * (1 << 32))}
}

// Now returns the nanoseconds since a moment at the start of the program. It never goes backwards.
func (c *Clock) Now() int64 {
	if !c.tsc {
		return c.other()
	}
	return c.At(rdtsc())
}

func (c *Clock) other() int64 {
	if c.virtual != nil {
		return c.virtual()
	}
	return monotonic()
}

// At returns the time of a value of the counter, if the clock reads that.
func (c *Clock) At(ticks uint64) int64 {
	high, low := bits.Mul64(ticks-c.start.ticks, c.mult)
	return c.start.ns + int64(high<<32|low>>32)
}

// Source names what the clock reads: "TSC", "CLOCK_MONOTONIC" or, of [Func], "virtual".
func (c *Clock) Source() string {
	switch {
	case c.tsc:
		return "TSC"
	case c.virtual != nil:
		return "virtual"
	}
	return "CLOCK_MONOTONIC"
}

// Hz returns the rate of the counter, or 0 if the clock does not read it.
func (c *Clock) Hz() float64 {
	if !c.tsc {
		return 0
	}
	return 1e9 * (1 << 32) / float64(c.mult)
}

// Drift returns the drift of the clock against CLOCK_MONOTONIC since New, in millionths; it is
// positive if the clock is fast. It is 0 if the time between the readings of both clocks may
// explain the difference. NTP changes the rate of CLOCK_MONOTONIC by up to 500 millionths.
func (c *Clock) Drift() float64 {
	if !c.tsc {
		return 0
	}
	p := readPair()
	ahead := float64(c.At(p.ticks) - p.ns)
	doubt := float64(p.width+c.start.width) * float64(c.mult) / (1 << 32)
	if math.Abs(ahead) <= doubt {
		return 0
	}
	return ahead / float64(p.ns-c.start.ns) * 1e6
}

// base is read once, so that monotonic is a difference of monotonic readings only.
var base = time.Now()

// monotonic returns CLOCK_MONOTONIC in nanoseconds since the program began. time.Since
// reads only that clock, while time.Now also reads the wall clock. It makes no system call
// if the kernel offers the clock in user space.
func monotonic() int64 { return int64(time.Since(base)) }

// pair holds readings of both clocks at one moment.
type pair struct {
	ticks uint64 // of the time stamp counter
	ns    int64
	width uint64 // ticks between two readings of the counter, with ns between them
}

// first is the pair that the rates of all clocks of the program are computed from.
var first = firstPair()

func firstPair() pair {
	if !hasTSC {
		return pair{}
	}
	return readPair()
}

// baseline is the shortest time between the two pairs of a rate: a pair is exact to about 50 ns,
// which is 5 millionths of it.
const baseline = 10 * time.Millisecond

// readPair returns the tightest of a few pairs, as the thread may lose its CPU within one.
func readPair() pair {
	best := pair{width: math.MaxUint64}
	for range 8 {
		before := rdtsc()
		ns := monotonic()
		if width := rdtsc() - before; width < best.width {
			best = pair{before + width/2, ns, width}
		}
	}
	return best
}

// ThreadCPU returns the CPU time in nanoseconds, user and system, that the
// calling OS thread has used. It is a system call, 0.7 µs on a virtual machine, and
// is meaningful only for a goroutine that is locked to its thread.
func ThreadCPU() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0 // every Linux since 2.6.12 has the clock
	}
	return ts.Nano()
}

// Overhead calls of one batch, and the number of batches.
const (
	batchCalls = 256
	batches    = 15
)

// Overhead measures the cost of one call of [Clock.Now], in nanoseconds: the median of
// a few short batches, in well under a millisecond.
func (c *Clock) Overhead() float64 {
	var costs [batches]float64
	for i := range costs {
		begin := c.Now()
		end := begin
		for range batchCalls {
			end = c.Now()
		}
		costs[i] = float64(end-begin) / batchCalls
	}
	slices.Sort(costs[:])
	return costs[batches/2]
}

// stepCalls is the number of readings Step compares.
const stepCalls = 1000

// Step measures the clock's resolution, in nanoseconds: the 10th percentile of the differences
// between successive readings, without those of 0. The smallest difference would be wrong: a
// counter with steps of 26 ticks occasionally makes a step of 1 to keep its rate. If the steps are
// shorter than a reading takes, Step returns the time of a fast reading. It returns 0 if the clock
// does not advance.
func (c *Clock) Step() float64 {
	var steps [stepCalls]int64
	n := 0
	last := c.Now()
	for range stepCalls {
		now := c.Now()
		if now > last {
			steps[n] = now - last
			n++
		}
		last = now
	}
	slices.Sort(steps[:n])
	return float64(steps[n/10])
}
