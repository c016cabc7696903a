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

// scattering makes a device of both sides that, like mlx5, keeps messages of up to 32
// bytes in the CQE until it is polled, unless a QP is made without that. It counts those.
type scattering struct {
	stays bool // like hns, which has no QPs without

	sync.Mutex
	without, with [2]int // QPs of each side
}

func (s *scattering) device(side int, ctx verbs.Context) verbs.Context {
	return wrap.Context(told{ctx, s, side}, wrap.Options{ScatterToCQE: 32, ScatterStays: s.stays})
}

// told is a context that tells what QPs it makes.
type told struct {
	verbs.Context
	to   *scattering
	side int
}

func (c told) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return toldPD{pd, c}, err
}

type toldPD struct {
	verbs.PD
	of told
}

func (p toldPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
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

// Where short SENDs come by the CQE, who looks for them in memory has QPs without that, and
// everybody else has them as they are.
func TestShortSendsOfDevicesThatScatter(t *testing.T) {
	if !promised {
		t.Skip("no device promises data order on this CPU")
	}
	none, all, one := [2]int{0, 0}, [2]int{1, 1}, [2]int{0, 1}
	for _, c := range []struct {
		kind          string
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
			if r.Mode != string(c.mode) || r.Verify == nil || r.Verify.Messages < 300 || r.Verify.Bad() > 0 {
				t.Errorf("%s %s, %d bytes: mode %s, checked: %+v", c.kind, c.asked, r.Size, r.Mode, r.Verify)
			}
		}
		if len(files[0].Rows) != len(p.Sizes) || s.without != c.without || s.with != c.with {
			t.Errorf("%s %s: %d rows; QPs without scatter %v, with %v", c.kind, c.asked, len(files[0].Rows), s.without, s.with)
		}
	}
}

// WRITEs and READs never come by the CQE, so nobody gives anything up for them.
func TestOnlySendsAreAskedToComeToMemory(t *testing.T) {
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

// Where short SENDs come by the CQE whatever is asked for, data mode is refused for them by
// name, even by force, and runs with longer ones.
func TestShortSendsThatStayInTheCQE(t *testing.T) {
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
			if wrong := slices.ContainsFunc(files[0].Rows, func(r result.Row) bool { return r.Mode != string(c.want) }); wrong || noted != (c.mode == option.ModeAuto && c.want == option.ModePoll) {
				t.Errorf("%s %s %v: rows %+v, warnings %v", kind, c.mode, c.sizes, files[0].Rows, files[0].Warnings)
			}
		}
	}
}
