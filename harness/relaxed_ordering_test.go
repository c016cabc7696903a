package harness

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// sightings holds the keys of memory with relaxed ordering, the sizes of all posted messages and
// credits, and the sizes of those in memory without relaxed ordering.
type sightings struct {
	sync.Mutex
	relaxed      map[uint32]bool
	all, ordered map[uint32]bool
	mixed        bool // a request names relaxed memory on one side only
}

// watch returns a device that records the keys in its requests.
func (s *sightings) watch(_ int, ctx verbs.Context) verbs.Context {
	return testdevice.Context(ctx, testdevice.Options{OnRegMR: s.region, OnPostSend: s.request})
}

func (s *sightings) region(mr verbs.MR, access verbs.Access) {
	if access&verbs.AccessRelaxedOrdering != 0 {
		s.Lock()
		defer s.Unlock()
		s.relaxed[mr.LKey()] = true
	}
}

func (s *sightings) request(_ verbs.QP, wr *verbs.SendWR) {
	if wr.NumSGE == 0 {
		return
	}
	s.Lock()
	defer s.Unlock()
	_, rkey := wr.RDMA()
	size, relaxed := wr.SGList.Length, s.relaxed[wr.SGList.LKey]
	if wr.Opcode != verbs.OpSend && relaxed != s.relaxed[rkey] {
		s.mixed = true
	}
	s.all[size] = true
	if !relaxed {
		s.ordered[size] = true
	}
}

// Messages are in memory with relaxed ordering only if their arrival is detected by completions: not
// in data mode, and credits never are.
func TestRelaxedOrdering(t *testing.T) {
	const size, creditSize = 64, 16
	for _, c := range []struct {
		name    string
		kind    option.Kind
		mode    option.Mode
		ordered bool // --disable_pcie_relaxed
		verify  bool
		regions bool // with relaxed ordering
		relaxed bool // messages
	}{
		{"bandwidth by completions", option.KindBandwidth, option.ModePoll, false, false, true, true},
		{"bandwidth by events", option.KindBandwidth, option.ModeEvent, false, false, true, true},
		{"with credits", option.KindBandwidth, option.ModePoll, false, true, true, true},
		{"bandwidth in memory", option.KindBandwidth, option.ModeData, false, false, false, false},
		{"bandwidth in memory by default", option.KindBandwidth, option.ModeAuto, false, false, true, false},
		{"switched off", option.KindBandwidth, option.ModePoll, true, false, false, false},
		{"latency", option.KindLatency, option.ModePoll, false, false, false, false},
	} {
		if c.mode == option.ModeData && !promised {
			continue
		}
		relaxed := c.relaxed || c.mode == option.ModeAuto && !promised // which is poll then
		for _, op := range allOps {
			p := testPlan(op, c.kind, size, 200)
			p.Completion, p.DisablePCIeRelaxed, p.Verify, p.Inline = c.mode, c.ordered, c.verify, 0
			seen := &sightings{relaxed: map[uint32]bool{}, all: map[uint32]bool{}, ordered: map[uint32]bool{}}
			files, errs := pair{device: "shm_whole", plan: p, wrap: seen.watch}.run(t)
			if errs[0] != nil || errs[1] != nil {
				t.Fatalf("%s, %s: %v; %v", c.name, op, errs[0], errs[1])
			}
			if got := len(seen.relaxed) > 0; got != c.regions {
				t.Errorf("%s, %s: relaxed regions: %v", c.name, op, got)
			}
			if !seen.all[size] || seen.ordered[size] == relaxed || seen.mixed {
				t.Errorf("%s, %s: messages use relaxed memory: %v, on one side only: %v", c.name, op, !seen.ordered[size], seen.mixed)
			}
			if seen.all[creditSize] && !seen.ordered[creditSize] {
				t.Errorf("%s, %s: credits use relaxed memory", c.name, op)
			}
			for side, f := range files {
				if f.Parameters.Relaxed != relaxed {
					t.Errorf("%s, %s: side %d: relaxed_ordering %v", c.name, op, side, f.Parameters.Relaxed)
				}
			}
		}
	}
}

// refusing is a device whose driver refuses unknown access flags, as mana's did.
type refusing struct{ verbs.Context }

type refusingPD struct{ verbs.PD }

func (c refusing) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return refusingPD{pd}, err
}

func (p refusingPD) RegMR(buf []byte, access verbs.Access) (verbs.MR, error) {
	if access&verbs.AccessRelaxedOrdering != 0 {
		return nil, fmt.Errorf("ibv_reg_mr: %w", syscall.EINVAL)
	}
	return p.PD.RegMR(buf, access)
}

// If the driver refuses relaxed ordering the error names the option to use.
func TestRelaxedOrderingRefused(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 64, 200)
	p.Completion = option.ModePoll
	refuse := func(_ int, ctx verbs.Context) verbs.Context { return refusing{ctx} }
	_, errs := pair{device: "shm_whole", plan: p, wrap: refuse}.run(t)
	for side, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "--disable_pcie_relaxed") {
			t.Errorf("side %d: %v", side, err)
		}
	}
}
