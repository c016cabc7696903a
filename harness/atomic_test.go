package harness

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// eachAtomic runs f for both operations, latency and bandwidth.
func eachAtomic(t *testing.T, f func(t *testing.T, p option.Plan)) {
	for _, kind := range allKinds {
		for _, op := range []option.AtomicType{option.FetchAndAdd, option.CmpAndSwap} {
			t.Run(string(op)+"_"+string(kind), func(t *testing.T) {
				p := testPlan(option.OpAtomic, kind, option.AtomicBytes, 2000)
				p.AtomicType = op
				f(t, p)
			})
		}
	}
}

// Every atomic operation is executed once and in order: it returns what the one before it stored.
func TestAtomicsReturnThePreviousValue(t *testing.T) {
	eachAtomic(t, func(t *testing.T, p option.Plan) {
		p.Verify = true
		for _, qps := range []int{1, 3} {
			for _, compare := range []bool{false, true} {
				if p.QPs = qps; qps > 1 && p.Kind == option.KindLatency {
					continue
				}
				p.Compare, p.Rounds = compare, 2
				files, errs := pair{device: "shm_unordered", plan: p}.run(t)
				if err := errors.Join(errs[:]...); err != nil {
					t.Fatal(err)
				}
				checkAtomicRows(t, files[0], &p)
			}
		}
	})
}

func checkAtomicRows(t *testing.T, f *result.File, p *option.Plan) {
	t.Helper()
	if len(f.Rows) == 0 || p.Compare && len(f.Rows)+len(f.NotMeasured) != 4 {
		t.Fatalf("%d rows, not measured: %+v", len(f.Rows), f.NotMeasured)
	}
	for _, r := range f.Rows {
		if v := r.Verify; v == nil || v.Messages < p.Iterations*uint64(p.QPs) || v.Bad() != 0 {
			t.Errorf("mode %s: %+v", r.Mode, v)
		}
		if r.Size != 8 || r.Mode == option.ModeData {
			t.Errorf("row of %d bytes, mode %s", r.Size, r.Mode)
		}
	}
	left := slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == "data-not-run" && strings.Contains(w.Text, "atomic") })
	if left != p.Compare {
		t.Errorf("mode data left out: %v", left)
	}
}

// The requests have the opcode of --atomic_type, and --verify finds one with wrong operands.
func TestAtomicRequests(t *testing.T) {
	eachAtomic(t, func(t *testing.T, p option.Plan) {
		want := map[option.AtomicType]verbs.Opcode{option.FetchAndAdd: verbs.OpAtomicFetchAndAdd, option.CmpAndSwap: verbs.OpAtomicCmpAndSwp}[p.AtomicType]
		p.Verify = true
		seen, broken := 0, func(qp verbs.QP, wr *verbs.SendWR) {}
		run := func() (*result.File, error) {
			files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
				return testdevice.Context(c, testdevice.Options{OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
					if wr.Opcode == want {
						seen++
						broken(qp, wr)
					}
				}})
			}}.run(t)
			return files[0], errors.Join(errs[:]...)
		}
		if f, err := run(); err != nil || seen < 2000 || f.Rows[0].Opcode != want.String() {
			t.Fatalf("%d requests of %s: %v", seen, want, err)
		}
		// One in 100: a warm-up of few operations may end before the slot of a single wrong one is used again.
		seen = 0
		broken = func(_ verbs.QP, wr *verbs.SendWR) {
			if remote, rkey, add, swap := wr.Atomic(); seen%100 == 0 {
				wr.SetAtomic(remote, rkey, add+1, swap+1)
			}
		}
		var wrong *DataError
		if _, err := run(); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "the operation returned") {
			t.Errorf("one operation was another: %v", err)
		}
	})
}

// -o sets max_rd_atomic of the requester's QP and max_dest_rd_atomic of the responder's.
func TestOutstandingReadsAndAtomics(t *testing.T) {
	for _, op := range []option.Op{option.OpRead, option.OpAtomic, option.OpWrite} {
		for outs, want := range map[int]int{0: 128, 3: 3, 200: 128} {
			p := testPlan(op, option.KindBandwidth, 8, 100)
			if op == option.OpWrite {
				outs, want = 0, 1
			}
			p.Outs = outs
			var mu sync.Mutex // of both sides
			var attrs []verbs.QPAttr
			files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
				return testdevice.Context(c, testdevice.Options{OnModify: func(_ verbs.QP, a *verbs.QPAttr, mask verbs.QPAttrMask) {
					if mask&(verbs.MaskMaxRdAtomic|verbs.MaskMaxDestRdAtomic) != 0 {
						mu.Lock()
						attrs = append(attrs, *a)
						mu.Unlock()
					}
				}})
			}}.run(t)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatal(err)
			}
			for _, a := range attrs {
				if n := int(a.MaxRdAtomic) + int(a.MaxDestRdAtomic); n != want {
					t.Errorf("%s -o %d: %s with %d", op, outs, a.State, n)
				}
			}
			if got := files[0].Parameters.Outs; op != option.OpWrite && got != want || len(attrs) != 4 {
				t.Errorf("%s -o %d: the file has %d; %d moves", op, outs, got, len(attrs))
			}
		}
	}
}
