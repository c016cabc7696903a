package harness

import (
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/reports/result"
)

// complete swaps the statistics of a size's rows and hands the rows out.
func (s *session) complete(size int) error {
	for i := range s.gate.ways {
		key := rowKey{size, i}
		t := s.rows[key]
		if t == nil {
			return wrong("turn", "%q names a size that was not measured", oob.StepRow)
		}
		row, err := s.rowOf(t)
		if err != nil {
			return err
		}
		if s.cfg.Plan.Verify && !t.checked {
			return lacksResult("result", t.scheme)
		}
		delete(s.rows, key)
		s.emit(t, row)
	}
	return nil
}

// rowOf swaps the statistics of a row, and makes it of both sides'.
func (s *session) rowOf(t *tally) (result.Row, error) {
	mine := t.row()
	theirs, err := s.peer.Row(mine)
	if err != nil {
		return result.Row{}, err
	}
	if bad := theirs.Check(s.limits(t.scheme)); bad != nil {
		return result.Row{}, &oob.MessageError{Step: "row", Err: bad}
	}
	row := t.finished(&s.cfg.Plan, s.gate.forced, mine, theirs)
	if !row.Measured(s.cfg.Plan.Kind) || t.scheme.bothWays() && theirs.Bandwidth == nil {
		return result.Row{}, lacksResult("row", t.scheme)
	}
	return row, nil
}

func lacksResult(step string, of *scheme) error {
	return wrong(step, "it lacks what the peer has measured in mode %s, %d bytes", of.way, of.size)
}

// limits bound what the peer can have measured by now. The wall clock goes on while a machine is
// suspended, and may be set back, so that the longer time counts.
func (s *session) limits(of *scheme) oob.Limits {
	p, now := &s.cfg.Plan, time.Now()
	return oob.Limits{Time: max(now.Sub(s.began), now.Round(0).Sub(s.began.Round(0))), Threads: p.Workers, Kind: p.Kind, Size: of.size}
}

// emit hands a row out, or says why a comparison has none: events that never slept are not
// what the mode is about. Where nothing else is measured the row says so.
func (s *session) emit(t *tally, r result.Row) {
	why := unmeasured(t.scheme, &r)
	if why != "" && s.cfg.Plan.Compare {
		s.cfg.File.NotMeasured = append(s.cfg.File.NotMeasured, result.Missing{Size: r.Size, Mode: r.Name(), Why: why})
		return
	}
	if why != "" {
		r.NoRatio = why
	}
	s.cfg.File.Rows = append(s.cfg.File.Rows, r)
	s.cfg.Row(r)
}

const neverSlept = "no side ever slept for an event: completions were always there before, so this is not the cost of events"

func unmeasured(sch *scheme, r *result.Row) string {
	if !sch.sleeps || r.Local.Sleeps+r.Peer.Sleeps > 0 {
		return ""
	}
	return neverSlept
}

// salvage keeps what was measured when a run is broken off.
func (s *session) salvage() {
	if s.halt.reason() == nil {
		return
	}
	for size := range s.cfg.Plan.Sizes {
		for way := range s.gate.ways {
			t := s.rows[rowKey{size, way}]
			if t == nil {
				continue
			}
			r := t.byItself(&s.cfg.Plan, s.gate.forced)
			if r.Latency == nil && (r.Bandwidth == nil || r.Bandwidth.Messages == 0) {
				continue
			}
			r.Warnings = append(r.Warnings, result.Warning{ID: "broken-off", Text: "the measurement was broken off; the peer's figures may be missing"})
			s.emit(t, r)
		}
	}
}
