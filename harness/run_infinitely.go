package harness

import (
	"runtime"
	"time"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// An endless run consists of intervals, and an interval of short rounds, its slices. After each slice
// either side can request the end of the run. The time between two slices does not count in any rate.

// sliceTime is the approximate duration of a slice. It is short because a run must stop within a second.
const sliceTime = 250 * time.Millisecond

// slicesPerInterval returns the number of slices in an interval.
func slicesPerInterval(p *option.Plan) int { return int(max(1, (p.Duration+sliceTime/2)/sliceTime)) }

// interval is an interval in progress.
type interval struct {
	row  *rowBuilder
	done int // slices
}

func newInterval(cfg *Config, c *testcase.Case) *interval {
	return &interval{row: newRowBuilder(cfg, c, "")}
}

// measureEndless runs slices until a side has been asked to stop.
func (s *session) measureEndless(size int) error {
	p := s.plan
	each := p.Duration / time.Duration(slicesPerInterval(p))
	for s.stopped = false; !s.stopped; {
		if err := s.direct(oob.Step{Kind: oob.StepRound, Size: size, Duration: each}); err != nil {
			return err
		}
	}
	return nil
}

// stopping reports whether this side has been asked to stop.
func (s *session) stopping() bool {
	select {
	case <-s.cfg.Stop:
		return true
	default:
		return false
	}
}

// addSlice adds a slice to the row and to its interval. After the last slice of an interval both
// sides exchange its statistics, because each may have measured what the other has not.
func (s *session) addSlice(row *rowBuilder, m *measurement, whole bool) error {
	i, within := s.interval, s.alignment.within
	for _, rb := range []*rowBuilder{row, i.row} {
		rb.add(s.run, m, within, whole)
	}
	if !whole {
		return nil
	}
	if i.done > 0 {
		row.join(len(row.rounds) - 2)
	}
	if i.done++; i.done < slicesPerInterval(s.plan) {
		return nil
	}
	r, err := s.exchangeRow(i.row)
	if err != nil {
		return err
	}
	s.cfg.Interval(r)
	i.row.clear()
	i.done = 0
	row.thin()
	runtime.GC() // between slices, where it is not measured
	return nil
}

// join joins a round with the next one. Its percentiles are the means of theirs, as their samples are mixed
// with those of all rounds.
func (rb *rowBuilder) join(at int) {
	for _, d := range rb.devices {
		d.join(at)
	}
	a, b := &rb.rounds[at], rb.rounds[at+1]
	if seconds := a.Seconds + b.Seconds; seconds > 0 {
		a.Average = (a.Average*a.Seconds + b.Average*b.Seconds) / seconds
	}
	if messages := float64(a.Messages + b.Messages); messages > 0 {
		share := float64(b.Messages) / messages
		for _, f := range []struct {
			of   *float64
			with float64
		}{{&a.P50Ns, b.P50Ns}, {&a.P90Ns, b.P90Ns}, {&a.P99Ns, b.P99Ns}, {&a.MeanNs, b.MeanNs}} {
			*f.of += (f.with - *f.of) * share
		}
	}
	a.Messages += b.Messages
	a.Seconds += b.Seconds
	rb.rounds = append(rb.rounds[:at+1], rb.rounds[at+2:]...)
}

// thin joins pairs of rounds once a row has the largest number of rounds.
func (rb *rowBuilder) thin() {
	if len(rb.rounds) < option.MaxRounds {
		return
	}
	for at := range len(rb.rounds) / 2 {
		rb.join(at)
	}
}

// clear removes all rounds, and keeps the memory of samples and rate.
func (rb *rowBuilder) clear() {
	for _, d := range rb.devices {
		d.clear()
	}
	samples, rate := rb.samples, rb.rate
	*rb = rowBuilder{test: rb.test, role: rb.role, keep: rb.keep, rounds: rb.rounds[:0], samples: samples, rate: rate, devices: rb.devices}
	if samples != nil {
		samples.Reset()
	}
	if rate != nil {
		rate.Start(0)
	}
}
