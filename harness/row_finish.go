package harness

import (
	"errors"
	"time"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

// finishRows exchanges the statistics of a size's rows with the peer and delivers the rows.
func (s *session) finishRows(size int) error {
	for i := range s.decision.modes {
		key := rowKey{size, i}
		rb := s.rows[key]
		if rb == nil || s.finished[key] {
			return protocolError(stepMessage, "step %q names a size that was not measured, or whose rows are complete", oob.StepRow)
		}
		row, err := s.exchangeRow(rb)
		if err != nil {
			return err
		}
		if s.plan.Verify && !rb.checked {
			return missingResult("result", rb.test)
		}
		delete(s.rows, key)
		s.finished[key] = true
		s.emit(rb, row)
	}
	return nil
}

// exchangeRow exchanges the statistics of a row with the peer and builds the row from both.
func (s *session) exchangeRow(rb *rowBuilder) (result.Row, error) {
	mine := rb.statistics()
	theirs, err := s.peer.Row(mine)
	if err != nil {
		return result.Row{}, err
	}
	if bad := theirs.Check(s.limits(rb.test)); bad != nil {
		return result.Row{}, &oob.MessageError{Exchange: "row", Err: bad}
	}
	row := rb.build(s.plan, s.decision.forced, mine, theirs)
	row.Warnings = append(row.Warnings, idleWarnings(&row, s.cfg.File)...)
	if !rb.test.Exact && (!row.Measured(s.plan.Kind) || rb.test.Bidirectional() && theirs.Bandwidth == nil || len(row.Devices) != len(rb.devices)) {
		return result.Row{}, missingResult("row", rb.test)
	}
	return row, nil
}

// missingResult returns the error of a message without a measurement that it must have.
func missingResult(message string, tc *testcase.Case) error {
	return protocolError(message, "the peer's measurement is missing: mode %s, %d bytes", tc.Mode, tc.Size)
}

// limits returns the limits of what the peer can have measured by now. The wall clock continues while a
// machine is suspended, but may be set back, so the longer of the times by wall clock and by monotonic
// clock counts.
func (s *session) limits(tc *testcase.Case) oob.Limits {
	p, now := s.plan, time.Now()
	return oob.Limits{Time: max(now.Sub(s.began), now.Round(0).Sub(s.began.Round(0))), Threads: p.AllThreads(), Devices: p.Devices, Kind: p.Kind, Size: tc.Size}
}

// emit delivers a row. In a comparison, a row of mode event without any sleep is left out with a
// reason, because it does not measure wake-ups. Otherwise the row itself states the reason.
func (s *session) emit(rb *rowBuilder, r result.Row) {
	r.Distances = s.distances(rb.placements)
	why := reasonUnmeasured(rb.test, &r)
	if why != "" && (s.plan.Compare || !r.Measured(s.plan.Kind)) {
		s.cfg.File.NotMeasured = append(s.cfg.File.NotMeasured, result.Missing{Size: r.Size, Mode: r.Name(), Why: why})
		return
	}
	if why != "" {
		r.NoRatio = why
	}
	s.cfg.File.Rows = append(s.cfg.File.Rows, r)
	s.cfg.Row(r)
}

const keepsTheRate = "the client keeps the rate, so it never sleeps"

const neverSlept = "every completion was already queued, so no wake-up was measured"

// reasonUnmeasured returns why a row does not measure its mode, or an empty string.
func reasonUnmeasured(test *testcase.Case, r *result.Row) string {
	if test.Exact && r.Latency == nil && r.Bandwidth == nil {
		return "only the peer measures this test, and perftest does not tell its figures"
	}
	if test.OpenLoop && test.Fetches && test.Sleeps {
		return keepsTheRate
	}
	if !test.Sleeps || test.Spins() || test.OpenLoop || r.Local.Sleeps+r.Peer.Sleeps > 0 {
		return ""
	}
	return neverSlept
}

// emitUnfinished delivers the unfinished rows of a run that was interrupted or failed, unless by an invalid
// message of the peer: then its other figures are doubtful too.
func (s *session) emitUnfinished(err error) {
	var invalid *oob.MessageError
	if errors.As(err, &invalid) {
		return
	}
	for size := range s.plan.Sizes {
		for mode := range s.decision.modes {
			rb := s.rows[rowKey{size, mode}]
			if rb == nil {
				continue
			}
			r := rb.buildAlone(s.plan, s.decision.forced)
			if r.Latency == nil && (r.Bandwidth == nil || r.Bandwidth.Messages == 0) {
				continue
			}
			r.Warnings = append(r.Warnings, result.Warning{ID: result.WarnBrokenOff, Text: "the measurement was interrupted; figures of the peer may be missing"})
			s.emit(rb, r)
		}
	}
}
