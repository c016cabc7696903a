package harness

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// eachAtomic runs f for both operations, latency and bandwidth.
func eachAtomic(t *testing.T, f func(t *testing.T, p option.Plan)) {
	for _, kind := range allKinds {
		for _, op := range []option.AtomicType{option.FetchAndAdd, option.CmpAndSwap} {
			t.Run(string(op)+"_"+kind, func(t *testing.T) {
				p := testPlan(option.OpAtomic, kind, option.AtomicBytes, 2000)
				p.AtomicType = op
				f(t, p)
			})
		}
	}
}

// Every atomic operation is carried out once and in order, whatever is polled.
func TestAtomicsBringWhatTheOnesBeforeLeft(t *testing.T) {
	eachAtomic(t, func(t *testing.T, p option.Plan) {
		p.Verify = true
		for _, qps := range []int{1, 3} {
			for _, compare := range []bool{false, true} {
				if p.QPs = qps; qps > 1 && p.Kind == option.KindLatency {
					continue
				}
				p.Compare = compare
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
	if len(f.Rows) == 0 || p.Compare && len(f.Rows)+len(f.NotMeasured) != 2 {
		t.Fatalf("%d rows, not measured: %+v", len(f.Rows), f.NotMeasured)
	}
	for _, r := range f.Rows {
		if v := r.Verify; v == nil || v.Messages < p.Iterations*uint64(p.QPs) || v.Bad() != 0 {
			t.Errorf("mode %s: %+v", r.Mode, v)
		}
		if r.Size != 8 || r.Mode == string(option.ModeData) {
			t.Errorf("row of %d bytes, mode %s", r.Size, r.Mode)
		}
	}
	left := slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == "data-not-run" && strings.Contains(w.Text, "atomic") })
	if left != p.Compare {
		t.Errorf("mode data left out: %v", left)
	}
}

// What is asked for is what is posted, and a request that is not as planned is found out.
func TestAtomicRequests(t *testing.T) {
	eachAtomic(t, func(t *testing.T, p option.Plan) {
		want := map[option.AtomicType]verbs.Opcode{option.FetchAndAdd: verbs.OpAtomicFetchAndAdd, option.CmpAndSwap: verbs.OpAtomicCmpAndSwp}[p.AtomicType]
		p.Verify = true
		seen, broken := 0, func(qp verbs.QP, wr *verbs.SendWR) {}
		run := func() (*result.File, error) {
			files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
				return wrap.Context(c, wrap.Options{OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
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
		seen = 0
		broken = func(_ verbs.QP, wr *verbs.SendWR) {
			if remote, rkey, add, swap := wr.Atomic(); seen == 1000 {
				wr.SetAtomic(remote, rkey, add+1, swap+1)
			}
		}
		var wrong *DataError
		if _, err := run(); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "the operation brought") {
			t.Errorf("one operation was another: %v", err)
		}
	})
}

// -o is the number of READs and atomic operations that both QPs allow.
func TestOutstanding(t *testing.T) {
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
				return wrap.Context(c, wrap.Options{OnModify: func(_ verbs.QP, a *verbs.QPAttr, mask verbs.QPAttrMask) {
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
