package harness

import (
	"runtime"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// An endless run is made of intervals, and an interval of short rounds, its slices: between
// them either side can say that it was told to stop. The time between two slices counts in
// no rate.

// sliceTime is about how long one lasts: a stop has to be through within a second.
const sliceTime = 250 * time.Millisecond

// slicesOf is how many an interval has.
func slicesOf(p *option.Plan) int { return int(max(1, (p.Duration+sliceTime/2)/sliceTime)) }

// interval is one that is under way.
type interval struct {
	tally *tally
	done  int // slices of it
}

func newInterval(s *scheme) *interval { return &interval{tally: newTally(s, "")} }

// leadEndless makes slices until a side was told to stop.
func (s *session) leadEndless(size int) error {
	p := &s.cfg.Plan
	each := p.Duration / time.Duration(slicesOf(p))
	for s.stopped = false; !s.stopped; {
		if err := s.tell(oob.Turn{Step: oob.StepRound, Size: size, Duration: each}); err != nil {
			return err
		}
	}
	return nil
}

// stopping tells whether this side was told to stop.
func (s *session) stopping() bool {
	select {
	case <-s.cfg.Stop:
		return true
	default:
		return false
	}
}

// addSlice adds a slice to the row and to its interval. Behind the last one of an interval both
// sides tell each other its statistics, as each may know what the other does not.
func (s *session) addSlice(row *tally, g *group, mine, theirs oob.Round, figure *result.Round, whole bool) error {
	i, within := s.interval, s.clocks.within
	for _, t := range []*tally{row, i.tally} {
		t.add(s.run, g, mine, theirs, figure, within, whole)
	}
	if !whole {
		return nil
	}
	if i.done > 0 {
		row.join(len(row.rounds) - 2)
	}
	if i.done++; i.done < slicesOf(&s.cfg.Plan) {
		return nil
	}
	r, err := s.rowOf(i.tally)
	if err != nil {
		return err
	}
	s.cfg.Interval(r)
	i.tally.clear()
	i.done = 0
	row.thin()
	runtime.GC() // here it takes time from no slice
	bound()
	return nil
}

// join makes one of the rounds at a place and behind it.
func (t *tally) join(at int) {
	a, b := &t.rounds[at], t.rounds[at+1]
	seconds := a.Seconds + b.Seconds
	if seconds > 0 {
		a.Average = (a.Average*a.Seconds + b.Average*b.Seconds) / seconds
	}
	a.Messages += b.Messages
	a.Seconds = seconds
	t.rounds = append(t.rounds[:at+1], t.rounds[at+2:]...)
}

// thin joins each two rounds once there are as many as a row may have.
func (t *tally) thin() {
	if len(t.rounds) < option.MaxRounds {
		return
	}
	for at := range len(t.rounds) / 2 {
		t.join(at)
	}
}

// clear forgets all rounds, and keeps the memory of the rate.
func (t *tally) clear() {
	rate := t.rate
	*t = tally{scheme: t.scheme, rounds: t.rounds[:0], rate: rate}
	if rate != nil {
		rate.Start(0)
	}
}
