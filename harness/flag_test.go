package harness

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// withFlag returns a comparison of WRITEs with a row of variant flag.
func withFlag(kind option.Kind, iterations uint64, sizes ...int) option.Plan {
	p := testPlan(option.OpWrite, kind, 0, iterations)
	p.Sizes, p.Compare, p.Also, p.Runs, p.Rounds = sizes, true, []option.Variant{option.VariantFlag}, 1, 2
	return p
}

// flagRows returns the rows of variant flag.
func flagRows(f *result.File) (rows []result.Row) {
	for _, r := range f.Rows {
		if r.Mode == option.ModeData && r.Variant == option.VariantFlag {
			rows = append(rows, r)
		}
	}
	return rows
}

// Each message of row data+flag is a WRITE of the data, followed in the same list by one of 8 bytes to
// other memory. On devices whose WRITEs do not overtake each other the data is right.
func TestFlagFollowsData(t *testing.T) {
	for _, kind := range allKinds {
		for _, verify := range []bool{false, true} {
			p := withFlag(kind, 300, 24, 4096)
			p.Verify = verify
			if kind == option.KindBandwidth {
				p.QPs = 2
			}
			var flags, orphans int
			var qp verbs.QP
			var data verbs.SendWR
			count := func(q verbs.QP, wr *verbs.SendWR) {
				if wr.NumSGE == 1 && wr.SGList.Length == 8 && wr.Opcode == verbs.OpRDMAWrite {
					from, _ := data.RDMA()
					to, _ := wr.RDMA()
					if flags++; q != qp || data.Next == nil || from == to {
						orphans++
					}
				}
				qp, data = q, *wr
			}
			files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
				if side == 1 {
					return c
				}
				return testdevice.Context(c, testdevice.Options{OnPostSend: count})
			}}.run(t)
			if errs != [2]error{} {
				t.Fatalf("%s, verify %v: %v", kind, verify, errs)
			}
			if least := len(p.Sizes) * int(p.Iterations) * p.QPs; flags < least || orphans > 0 {
				t.Errorf("%s: %d flags, want %d at least, %d of them without data before them", kind, flags, least, orphans)
			}
			for side, f := range files {
				checkFlagRows(t, f, side, &p)
			}
		}
	}
}

// checkFlagRows checks that a row of variant flag is there for each size, and is called unsafe.
func checkFlagRows(t *testing.T, f *result.File, side int, p *option.Plan) {
	t.Helper()
	rows := flagRows(f)
	if len(rows) != len(p.Sizes) {
		t.Errorf("side %d: %d rows of flags", side, len(rows))
	}
	for _, r := range rows {
		if !r.Forced || r.ModeMark() != "data+flag!" || r.Opcode != "RDMA_WRITE" {
			t.Errorf("side %d: row %s, %s, opcode %s", side, r.ModeMark(), r.ModeName(), r.Opcode)
		}
		if v := r.Verify; p.Verify && (v == nil || v.Messages < p.Iterations || v.Bad() != 0) {
			t.Errorf("side %d: %+v", side, v)
		}
	}
	if !slices.ContainsFunc(f.Warnings, func(w result.Warning) bool {
		return w.ID == result.WarnForcedData && strings.Contains(w.Text, "data+flag")
	}) {
		t.Errorf("side %d: no warning: %+v", side, f.Warnings)
	}
	for _, r := range f.Rows {
		if r.Forced && r.Variant != option.VariantFlag {
			t.Errorf("side %d: row %s is forced", side, r.Name())
		}
	}
}

// On devices whose WRITEs overtake each other a flag may arrive before its data, and --verify finds it.
// The other rows are right.
func TestFlagBeforeItsDataIsSeen(t *testing.T) {
	for _, kind := range allKinds {
		p := withFlag(kind, 500, 4096)
		p.Verify = true
		files, errs := pair{device: "shm_unordered", plan: p}.run(t)
		for n := 0; errs == [2]error{} && n < 4; n++ { // threads that share a CPU may not see it
			p.Iterations *= 5
			files, errs = pair{device: "shm_unordered", plan: p}.run(t)
		}
		for side, err := range errs {
			if wrong := (*DataError)(nil); !errors.As(err, &wrong) {
				t.Fatalf("%s side %d: %v", kind, side, err)
			}
		}
		for _, r := range files[0].Rows {
			if bad := r.Verify.Bad() > 0; bad != (r.Variant == option.VariantFlag) {
				t.Errorf("%s: row %s: %+v", kind, r.Name(), r.Verify)
			}
		}
	}
}
