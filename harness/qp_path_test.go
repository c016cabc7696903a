package harness

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// The QPs of both sides have the path, timeouts and retry counts of the plan.
func TestPathOfTheQPs(t *testing.T) {
	const patience = verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry
	for name, c := range map[string]struct {
		set  func(*option.Plan)
		mask verbs.QPAttrMask
		what func(verbs.QPAttr, verbs.QPInitAttr) int
		want []int
	}{
		"path MTU by default": {func(*option.Plan) {}, verbs.MaskPathMTU, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return a.PathMTU.Bytes() }, []int{4096}},
		"path MTU":            {func(p *option.Plan) { p.MTU = 512 }, verbs.MaskPathMTU, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return a.PathMTU.Bytes() }, []int{512}},
		"no service level":    {func(*option.Plan) {}, verbs.MaskAV, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.AH.SL) }, []int{0}},
		"service level":       {func(p *option.Plan) { p.SL = 5 }, verbs.MaskAV, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.AH.SL) }, []int{5}},
		"flow labels in turn": {func(p *option.Plan) { p.QPs, p.FlowLabels = 3, []int{7, 0xabcde} }, verbs.MaskAV,
			func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.AH.GRH.FlowLabel) }, []int{7, 0xabcde}},
		"timeout by default": {func(*option.Plan) {}, patience, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.Timeout) }, []int{14}},
		"timeout":            {func(p *option.Plan) { p.QPTimeout = 20 }, patience, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.Timeout) }, []int{20}},
		"retries by default": {func(*option.Plan) {}, patience, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.RetryCnt) }, []int{7}},
		"retries":            {func(p *option.Plan) { p.RetryCount = 2 }, patience, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.RetryCnt) }, []int{2}},
		"receiver not ready": {func(p *option.Plan) { p.RetryCount = 2 }, patience, func(a verbs.QPAttr, _ verbs.QPInitAttr) int { return int(a.RNRRetry) }, []int{7}},
	} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 30)
		c.set(&p)
		for side, values := range attributesOf(t, p, c.mask, c.what) {
			for _, want := range c.want {
				if !values[want] || len(values) != len(c.want) {
					t.Errorf("%s: side %d sent with %v, want %v", name, side, values, c.want)
				}
			}
		}
	}
}

// requested is a device that records the attributes of its QPs, with a P_Key table of its own size.
type requested struct {
	verbs.Context
	pkeys int
	mu    sync.Mutex
	pkey  map[uint16]bool
	dlid  map[uint16]bool
	cqs   map[int]bool // their completion vectors
}

func (c *requested) QueryPKey(port, index int) (uint16, error) {
	if index >= c.pkeys {
		return 0, &verbs.OpError{Verb: "query_pkey", Object: "test", Errno: syscall.EINVAL}
	}
	return 0xffff, nil
}

func (c *requested) CreateCQ(cqe int, ch verbs.CompChannel, vector int) (verbs.CQ, error) {
	c.mu.Lock()
	c.cqs[vector] = true
	c.mu.Unlock()
	return c.Context.CreateCQ(cqe, ch, 0)
}

func (c *requested) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return requestedPD{pd, c}, err
}

type requestedPD struct {
	verbs.PD
	c *requested
}

func (p requestedPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	qp, err := p.PD.CreateQP(init)
	if err != nil {
		return nil, err
	}
	return requestedQP{qp, p.c}, nil
}

type requestedQP struct {
	verbs.QP
	c *requested
}

// Modify records the P_Key index and the LID, and clears them: the embedded device has one P_Key and
// no LID.
func (q requestedQP) Modify(attr *verbs.QPAttr, mask verbs.QPAttrMask) error {
	q.c.mu.Lock()
	if mask&verbs.MaskPKeyIndex != 0 {
		q.c.pkey[attr.PKeyIndex] = true
	}
	if mask&verbs.MaskAV != 0 {
		q.c.dlid[attr.AH.DLID] = true
	}
	q.c.mu.Unlock()
	plain := *attr
	plain.PKeyIndex, plain.AH.DLID = 0, 0
	return q.QP.Modify(&plain, mask)
}

// P_Key index, LID and completion vector are options of one side, and do not change the other.
func TestPathOptionsOfOneSide(t *testing.T) {
	var devices [2]*requested
	pair := pair{device: "shm_whole", plan: testPlan(option.OpSend, option.KindLatency, 8, 10),
		wrap: func(side int, c verbs.Context) verbs.Context {
			devices[side] = &requested{Context: c, pkeys: 4, pkey: map[uint16]bool{}, dlid: map[uint16]bool{}, cqs: map[int]bool{}}
			return devices[side]
		},
		config: func(side int, c *Config) {
			if side == 0 {
				c.PKeyIndex, c.DLID, c.Vector = 3, 0xbeef, 2
			}
		}}
	if _, errs := pair.run(t); errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	for side, want := range []struct {
		pkey, dlid uint16
		vector     int
	}{{3, 0xbeef, 2}, {0, 0, 0}} {
		d := devices[side]
		if !d.pkey[want.pkey] || !d.dlid[want.dlid] || !d.cqs[want.vector] || len(d.pkey)+len(d.dlid)+len(d.cqs) != 3 {
			t.Errorf("side %d: P_Key indexes %v, LIDs %v, vectors %v, want %+v", side, d.pkey, d.dlid, d.cqs, want)
		}
	}
}

// The error names the P_Key index, vector or NUMA node that does not exist.
func TestInvalidPathOptionsAreRefused(t *testing.T) {
	for want, set := range map[string]func(*Config){
		"P_Key index 9 of port 1":           func(c *Config) { c.PKeyIndex = 9 },
		"completion vectors are 0 to 0":     func(c *Config) { c.Vector = 5 },
		"bind memory to NUMA node 900: mbi": func(c *Config) { node := 900; c.NUMANode = &node },
	} {
		_, errs := pair{device: "shm_whole", plan: testPlan(option.OpSend, option.KindLatency, 8, 10),
			config: func(_ int, c *Config) { set(c) }}.run(t)
		if errs[0] == nil || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%v, want %q", errs[0], want)
		}
	}
}

func TestHugePagesAreNotEmbedded(t *testing.T) {
	p := testPlan(option.OpSend, option.KindLatency, 8, 10)
	p.HugePages = true
	_, errs := pair{device: "shm_whole", plan: p}.run(t)
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "leave --use_hugepages out") {
		t.Error(errs[0])
	}
}

// No poll asks for more completions than --cqe-poll, and some ask for that many.
func TestCompletionsPerPoll(t *testing.T) {
	for _, kind := range allKinds {
		for _, n := range []int{1, 5} {
			var mu sync.Mutex
			most := 0
			p := testPlan(option.OpSend, kind, 8, 500)
			p.CQEPoll = n
			watch := func(_ int, c verbs.Context) verbs.Context {
				return testdevice.Context(c, testdevice.Options{OnPoll: func(k int) {
					mu.Lock()
					most = max(most, k)
					mu.Unlock()
				}})
			}
			if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs[0] != nil || errs[1] != nil {
				t.Fatal(errs)
			}
			if most != n {
				t.Errorf("%s: %d completions were asked for at a time, want %d", kind, most, n)
			}
		}
	}
}

// Sides with different link layers both fail with an error of their device.
func TestBothSidesRefuseDifferentLinkLayers(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindLatency, 8, 100)
	odd := func(side int, c verbs.Context) verbs.Context {
		if side == 1 {
			return infiniBand{c}
		}
		return c
	}
	_, errs := pair{device: "shm_whole", plan: p, wrap: odd}.run(t)
	for side, err := range errs {
		var device *DeviceError
		if !errors.As(err, &device) || !strings.Contains(err.Error(), "InfiniBand") {
			t.Errorf("side %d: %v", side, err)
		}
	}
}
