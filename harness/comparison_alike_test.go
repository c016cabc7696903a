package harness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// shape holds the parameters that all rows of one size in a comparison have in common.
type shape struct {
	touch                     option.Touch
	slots, span, depth, cqMod int
	relaxed                   bool
	at                        string
}

func shapeOf(r *result.Row) shape {
	s := shape{touch: r.Touch, slots: r.Slots, span: r.Span, depth: r.Depth, cqMod: r.CQMod, relaxed: r.Relaxed}
	if r.Bandwidth != nil {
		s.at = r.Bandwidth.MeasuredAt
	}
	return s
}

// checkAlike checks that the rows of a size have the same shape in all modes.
func checkAlike(t *testing.T, f *result.File) {
	t.Helper()
	bySize := map[int]shape{}
	for i := range f.Rows {
		r := &f.Rows[i]
		first, known := bySize[r.Size]
		if !known {
			first = shapeOf(r)
			bySize[r.Size] = first
		}
		if got := shapeOf(r); got != first {
			t.Errorf("%d bytes: mode %s has %+v, others %+v", r.Size, r.Name(), got, first)
		}
	}
}

// comparison runs a short comparison of several sizes.
func comparison(t *testing.T, op option.Op, kind option.Kind, wrap func(int, verbs.Context) verbs.Context) *result.File {
	t.Helper()
	p := testPlan(op, kind, 0, 300)
	p.Sizes, p.Compare, p.Rounds, p.Completion = []int{8, 4096, 65536}, true, 3, option.ModeAuto
	if kind == option.KindBandwidth {
		p.QPs = 2
	}
	files, errs := pair{device: "shm_whole", plan: p, wrap: wrap}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	return files[0]
}

// All modes of a comparison have the same shape. Their opcodes differ only where a mode needs a
// completion at the receiver.
func TestModesOfAComparisonHaveTheSameShape(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		f := comparison(t, op, kind, nil)
		checkAlike(t, f)
		for i := range f.Rows {
			r := &f.Rows[i]
			if got := shapeOf(r); got.touch != option.TouchRead || got.relaxed {
				t.Errorf("%d bytes: mode %s has %+v", r.Size, r.Mode, got)
			}
			if want := opcodeOfRow(op, option.Mode(r.Mode)); r.Opcode != want {
				t.Errorf("%d bytes: mode %s has opcode %s, want %s", r.Size, r.Mode, r.Opcode, want)
			}
			if b := r.Bandwidth; b != nil && b.MeasuredAt != map[bool]string{true: "requester", false: "receiver"}[op == option.OpRead] {
				t.Errorf("%d bytes: mode %s is measured at the %s", r.Size, r.Mode, b.MeasuredAt)
			}
			if (r.NoRatio != "") != (op == option.OpRead) {
				t.Errorf("%d bytes: mode %s: no ratio because %q", r.Size, r.Mode, r.NoRatio)
			}
		}
		checkMissing(t, f)
	})
}

func opcodeOfRow(op option.Op, m option.Mode) string {
	switch {
	case op == option.OpSend:
		return verbs.OpSend.String()
	case op == option.OpRead:
		return verbs.OpRDMARead.String()
	case m == option.ModeData:
		return verbs.OpRDMAWrite.String()
	}
	return verbs.OpRDMAWriteWithImm.String()
}

// checkMissing checks that there is a row for each size and mode or, for event mode alone, the reason
// why there is no row.
func checkMissing(t *testing.T, f *result.File) {
	t.Helper()
	seen := map[string]int{}
	name := func(size int, mode string) string { return fmt.Sprintf("%d bytes, mode %s", size, mode) }
	for _, r := range f.Rows {
		seen[name(r.Size, r.Name())]++
		if r.Mode == option.ModeEvent && r.Local.Sleeps+r.Peer.Sleeps == 0 {
			t.Errorf("%d bytes: a row of event mode without sleeps", r.Size)
		}
	}
	for _, m := range f.NotMeasured {
		seen[name(m.Size, m.Mode)]++
		if !strings.HasPrefix(m.Mode, string(option.ModeEvent)) || m.Why == "" {
			t.Errorf("not measured: %+v", m)
		}
	}
	for _, size := range f.Parameters.Sizes {
		for _, mode := range comparedRows() {
			if n := seen[name(size, mode)]; n != 1 {
				t.Errorf("%s: %d rows or reasons", name(size, mode), n)
			}
		}
	}
}

// READs that complete after their post returns are compared, and event mode sleeps for them.
func TestLateReadsAreCompared(t *testing.T) {
	late := func(side int, c verbs.Context) verbs.Context {
		if side == 1 {
			return c
		}
		return testdevice.Context(c, testdevice.Options{ReadDelay: func(n uint64, _ *verbs.SendWR) time.Duration {
			if n == 0 { // the probe for READs that complete in their post
				return 100 * time.Millisecond
			}
			return 200 * time.Microsecond
		}})
	}
	for _, kind := range allKinds {
		f := comparison(t, option.OpRead, kind, late)
		want := len(comparedRows()) * len(f.Parameters.Sizes)
		for end := time.Now().Add(30 * time.Second); len(f.Rows) < want && time.Now().Before(end); {
			f = comparison(t, option.OpRead, kind, late) // on a loaded host completions may be there before a side sleeps
		}
		for _, r := range f.Rows {
			if r.NoRatio != "" {
				t.Errorf("%s, mode %s: %s", kind, r.Mode, r.NoRatio)
			}
		}
		if len(f.Rows) < want { // two CPUs add a row of event
			t.Errorf("%s: %d rows, want %d; not measured: %+v", kind, len(f.Rows), want, f.NotMeasured)
		}
	}
}
