package harness

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// warmUp is how long each way of a size runs before its rounds: the first 30 ms of large
// messages ran at half speed where it was shorter.
const warmUp = 50 * time.Millisecond

// warmUpOf is how long it is of a plan: longer if a margin is asked for.
func warmUpOf(p *option.Plan) time.Duration { return max(warmUp, p.Margin) }

// lead decides what comes next: runs, sizes, warm-ups, and rounds of all ways in turns,
// until the plan is done and the intervals are as narrow as they are to be.
func (s *session) lead() error {
	p, began := &s.cfg.Plan, time.Now()
	s.laps = 1
	for first := true; ; first = false {
		start := time.Now()
		if !first {
			if err := s.tell(oob.Turn{Step: oob.StepRun}); err != nil {
				return err
			}
		}
		if p.Compare {
			if err := s.probeReads(); err != nil {
				return err
			}
		}
		for size := range p.Sizes {
			if err := s.leadSize(size); err != nil {
				return err
			}
		}
		if s.run >= p.Runs && !s.wantsRun(began, time.Since(start)) {
			break
		}
	}
	if s.several() {
		for size := range p.Sizes {
			if err := s.tell(oob.Turn{Step: oob.StepRow, Size: size}); err != nil {
				return err
			}
		}
	}
	s.cfg.File.Limits = s.limit
	_, err := s.peer.Turn(oob.Turn{Step: oob.StepEnd, Limit: s.limit})
	return err
}

// several tells whether rows may have rounds of more than one run, so that they are
// complete at the end only.
func (s *session) several() bool { return s.cfg.Plan.Runs > 1 || s.cfg.Plan.Precision > 0 }

// leadSize measures all ways of a size.
func (s *session) leadSize(size int) error {
	turn := oob.Turn{Step: oob.StepSize, Size: size, NoRatio: s.noRatio()}
	if err := s.tell(turn); err != nil {
		return err
	}
	for way := range s.gate.ways {
		if err := s.tell(oob.Turn{Step: oob.StepRound, Size: size, Way: way, Warmup: true, Duration: warmUpOf(&s.cfg.Plan)}); err != nil {
			return err
		}
	}
	if err := s.leadRounds(size); err != nil {
		return err
	}
	if err := s.tell(oob.Turn{Step: oob.StepRest, Size: size}); err != nil || s.several() {
		return err
	}
	return s.tell(oob.Turn{Step: oob.StepRow, Size: size})
}

// leadRounds measures all rounds of a size.
func (s *session) leadRounds(size int) error {
	if s.cfg.Plan.Endless {
		return s.leadEndless(size)
	}
	for i := range s.cfg.Plan.Rounds * s.laps {
		if err := s.leadRound(size, i); err != nil {
			return err
		}
	}
	return nil
}

// leadRound measures each way once. Each round begins with another one, and every other
// round goes backwards, so that no way always comes after the same one.
func (s *session) leadRound(size, round int) error {
	ways := len(s.gate.ways)
	for i := range ways {
		turn := oob.Turn{Step: oob.StepRound, Size: size, Way: wayAt(round, i, ways)}
		turn.Messages, turn.Duration = share(&s.cfg.Plan, round)
		if err := s.tell(turn); err != nil {
			return err
		}
	}
	return nil
}

// place is the i-th way of a round.
func wayAt(round, i, ways int) int {
	if round%2 == 1 {
		i = -i
	}
	return ((round+i)%ways + ways) % ways
}

// share is the part of a row's messages or of its time that a round has.
func share(p *option.Plan, round int) (messages uint64, duration time.Duration) {
	n := p.Rounds
	if p.Duration > 0 {
		return 0, max(p.Duration/time.Duration(n), minRound)
	}
	i := uint64(round % n)
	return max(1, p.Iterations*(i+1)/uint64(n)-p.Iterations*i/uint64(n)), 0
}

// minRound is what a timed round lasts at least.
const minRound = 100 * time.Microsecond

// widest returns the widest interval of a size's ratios, and which level of repetition
// would narrow it.
func (s *session) widest(size int) (float64, ratio.Level) {
	base, runs := s.rows[rowKey{size, s.base()}].figures()
	wide, level := 0.0, ratio.Rounds
	for way := range s.gate.ways {
		t := s.rows[rowKey{size, way}]
		if way == s.base() || t.noRatio != "" {
			continue
		}
		figures, _ := t.figures()
		if w := ratio.Of(figures, base, runs).HalfWidth(); w > wide {
			wide, level = w, ratio.Widest(figures, base, runs)
		}
	}
	return wide, level
}

// base is the index of the way that the others are compared with: poll.
func (s *session) base() int {
	return max(0, slices.IndexFunc(s.gate.ways, func(g gated) bool { return g.way.base() }))
}

// wantsRun tells whether another run is to narrow the intervals, and decides how many laps
// of the plan's rounds it has: more where rounds differ, as many as before where runs do.
// One run tells nothing of how runs differ, so there are two at least. What keeps the
// intervals wide is noted.
func (s *session) wantsRun(began time.Time, last time.Duration) bool {
	p := &s.cfg.Plan
	if p.Precision == 0 {
		return false
	}
	at, wide, level := 0, 0.0, ratio.Unknown
	for size := range p.Sizes {
		if w, l := s.widest(size); w > wide {
			at, wide, level = size, w, l
		}
	}
	s.limit = ""
	if wide <= p.Precision && s.run >= minRuns {
		return false
	}
	switch {
	case math.IsInf(wide, 0):
		s.limit = fmt.Sprintf("%d bytes: the rounds are too few for an interval", p.Sizes[at])
	case wide > p.Precision:
		s.limit = fmt.Sprintf("%d bytes: the widest interval is ±%.1f %% after %v; what varies most is between %s",
			p.Sizes[at], wide*100, time.Since(began).Round(time.Second), level)
	}
	if level == ratio.Rounds && p.Rounds*s.laps < option.MaxRounds {
		s.laps *= 2
		last *= 2
	}
	return s.run < option.MaxRuns && time.Since(began)+last < p.TimeLimit
}

// minRuns is how many runs it takes to tell rounds that differ from runs that do.
const minRuns = 2
