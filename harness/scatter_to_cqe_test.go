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

// scattering makes devices that scatter messages of up to 32 bytes to the CQE, as mlx5 does, unless
// the QP is created with NoScatterToCQE. It counts the QPs of both kinds.
type scattering struct {
	stays bool // even for QPs with NoScatterToCQE, as on hns

	sync.Mutex
	without, with [2]int // QPs of each side
}

func (s *scattering) device(side int, ctx verbs.Context) verbs.Context {
	return testdevice.Context(counting{ctx, s, side}, testdevice.Options{ScatterToCQE: 32, ScatterStays: s.stays})
}

// counting is a context that counts its QPs.
type counting struct {
	verbs.Context
	to   *scattering
	side int
}

func (c counting) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return countingPD{pd, c}, err
}

type countingPD struct {
	verbs.PD
	of counting
}

func (p countingPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	to := p.of.to
	to.Lock()
	defer to.Unlock()
	if init.NoScatterToCQE {
		to.without[p.of.side]++
	} else {
		to.with[p.of.side]++
	}
	return p.PD.CreateQP(init)
}

// On a device with scatter-to-CQE the receivers of SENDs that poll memory create their QPs with
// NoScatterToCQE, and all other QPs are created without it.
func TestDataModeDisablesScatterToCQE(t *testing.T) {
	if !promised {
		t.Skip("no device promises data order on this CPU")
	}
	none, all, one := [2]int{0, 0}, [2]int{1, 1}, [2]int{0, 1}
	for _, c := range []struct {
		kind          option.Kind
		asked, mode   option.Mode
		without, with [2]int
	}{
		{option.KindLatency, option.ModeData, option.ModeData, all, none},
		{option.KindLatency, option.ModeAuto, option.ModeData, all, all}, // the others are those of poll
		{option.KindLatency, option.ModePoll, option.ModePoll, none, all},
		{option.KindBandwidth, option.ModeData, option.ModeData, one, [2]int{1, 0}}, // the client only sends
		{option.KindBandwidth, option.ModeAuto, option.ModeData, one, [2]int{2, 1}},
		{option.KindBandwidth, option.ModePoll, option.ModePoll, none, all},
	} {
		p := testPlan(option.OpSend, c.kind, 8, 300)
		p.Sizes, p.Completion, p.Verify = []int{2, 8, 32, 33, 64}, c.asked, true
		s := &scattering{}
		files, errs := pair{device: "shm_whole", plan: p, wrap: s.device}.run(t)
		if errs[0] != nil || errs[1] != nil {
			t.Errorf("%s %s: %v; %v", c.kind, c.asked, errs[0], errs[1])
			continue
		}
		for _, r := range files[0].Rows {
			if r.Mode != c.mode || r.Verify == nil || r.Verify.Messages < 300 || r.Verify.Bad() > 0 {
				t.Errorf("%s %s, %d bytes: mode %s, checked: %+v", c.kind, c.asked, r.Size, r.Mode, r.Verify)
			}
		}
		if len(files[0].Rows) != len(p.Sizes) || s.without != c.without || s.with != c.with {
			t.Errorf("%s %s: %d rows; QPs without scatter %v, with %v", c.kind, c.asked, len(files[0].Rows), s.without, s.with)
		}
	}
}

// WRITEs and READs are never scattered to the CQE, so their QPs are created without NoScatterToCQE.
func TestOnlySendsDisableScatterToCQE(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpRead} {
		p := testPlan(op, option.KindLatency, 8, 50)
		p.Completion = modes()[0]
		s := &scattering{}
		_, errs := pair{device: "shm_whole", plan: p, wrap: s.device}.run(t)
		if errs[0] != nil || errs[1] != nil || s.without != [2]int{} {
			t.Errorf("%s: %v; %v; QPs without scatter: %v", op, errs[0], errs[1], s.without)
		}
	}
}

// On a device that scatters to the CQE in spite of NoScatterToCQE data mode is refused for short
// SENDs, even with --force-data, and runs with longer ones.
func TestDataModeIsRefusedIfScatterToCQEStays(t *testing.T) {
	if !promised {
		t.Skip("no device promises data order on this CPU")
	}
	for _, c := range []struct {
		mode    option.Mode
		sizes   []int
		force   bool
		refused bool
		want    option.Mode
	}{
		{option.ModeData, []int{8}, false, true, ""},
		{option.ModeData, []int{64, 32}, true, true, ""},
		{option.ModeData, []int{33, 64}, false, false, option.ModeData},
		{option.ModeAuto, []int{33}, false, false, option.ModeData},
		{option.ModeAuto, []int{8, 64}, false, false, option.ModePoll},
		{option.ModePoll, []int{8}, false, false, option.ModePoll},
	} {
		for _, kind := range allKinds {
			p := testPlan(option.OpSend, kind, 8, 100)
			p.Sizes, p.Completion, p.ForceData = c.sizes, c.mode, c.force
			files, errs := pair{device: "shm_whole", plan: p, wrap: (&scattering{stays: true}).device}.run(t)
			var refused *RefusedError
			if c.refused {
				for _, err := range errs {
					if !errors.As(err, &refused) || refused.Kept != 32 || !strings.Contains(err.Error(), "shm_whole") || !strings.Contains(err.Error(), "more than 32 bytes") {
						t.Errorf("%s %s %v: %v", kind, c.mode, c.sizes, err)
					}
				}
				continue
			}
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("%s %s %v: %v; %v", kind, c.mode, c.sizes, errs[0], errs[1])
			}
			noted := false
			for _, w := range files[0].Warnings {
				noted = noted || w.ID == "data-not-run" && strings.Contains(w.Text, "8 bytes")
			}
			if wrong := slices.ContainsFunc(files[0].Rows, func(r result.Row) bool { return r.Mode != c.want }); wrong || noted != (c.mode == option.ModeAuto && c.want == option.ModePoll) {
				t.Errorf("%s %s %v: rows %+v, warnings %v", kind, c.mode, c.sizes, files[0].Rows, files[0].Warnings)
			}
		}
	}
}
