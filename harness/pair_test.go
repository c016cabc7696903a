package harness

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// withPairs returns a comparison of WRITEs on a fabric with adaptive routing.
func withPairs(kind option.Kind, iterations uint64, sizes ...int) option.Plan {
	p := testPlan(option.OpWrite, kind, 0, iterations)
	p.Sizes, p.Compare, p.Rounds, p.Routing = sizes, true, 2, option.RoutingAdaptive
	return p
}

// pairWork is the work of a QP.
type pairWork struct {
	peer       uint32 // number of its peer's QP
	writes     int    // messages
	immediates int    // empty WRITEs with immediate data, each right behind a message
	empty      int    // empty SENDs, which use up receives
	others     int    // requests with immediate data that are no second half of a pair
	receives   int    // posted
	first      *verbs.SendWR
}

// pairWorks is the work of all QPs of both sides, by the number of the QP.
type pairWorks struct {
	sync.Mutex
	sides [2]map[uint32]*pairWork
	sizes []int
}

func (p *pairWorks) of(side int, qp verbs.QP) *pairWork {
	w := p.sides[side][qp.QPNum()]
	if w == nil {
		w = &pairWork{}
		p.sides[side][qp.QPNum()] = w
	}
	return w
}

func (p *pairWorks) watch(side int, c verbs.Context) verbs.Context {
	return testdevice.Context(c, testdevice.Options{
		OnModify: func(qp verbs.QP, a *verbs.QPAttr, mask verbs.QPAttrMask) {
			p.Lock()
			defer p.Unlock()
			if mask&verbs.MaskDestQPN != 0 {
				p.of(side, qp).peer = a.DestQPNum
			}
		},
		OnPostRecv: func(qp verbs.QP, list *verbs.RecvWR) {
			p.Lock()
			defer p.Unlock()
			for ; list != nil; list = list.Next {
				p.of(side, qp).receives++
			}
		},
		OnPostSend: func(qp verbs.QP, wr *verbs.SendWR) {
			p.Lock()
			defer p.Unlock()
			p.of(side, qp).count(wr, p.sizes)
		},
	})
}

func (w *pairWork) count(wr *verbs.SendWR, sizes []int) {
	switch {
	case wr.Opcode == verbs.OpSend:
		w.empty++
	case wr.Opcode == verbs.OpRDMAWriteWithImm && wr.NumSGE == 0 && w.first != nil && w.first.Next == wr:
		w.immediates++
	case wr.Opcode == verbs.OpRDMAWriteWithImm:
		w.others++
	case wr.Opcode == verbs.OpRDMAWrite && wr.NumSGE == 1 && slices.Contains(sizes, int(wr.SGList.Length)):
		w.writes++
		w.first = wr
		return
	}
	w.first = nil
}

// TestPairsAreTheSameWorkInAllModes: in every mode, mode data included, a message is a WRITE with an empty WRITE
// with immediate data behind it, which takes a receive of the peer. All rows have the same shape.
func TestPairsAreTheSameWorkInAllModes(t *testing.T) {
	if !promised {
		t.Skip("mode data is not promised")
	}
	for _, kind := range allKinds {
		p := withPairs(kind, 300, 24, 4096)
		p.QPs = 2
		works := pairWorks{sides: [2]map[uint32]*pairWork{{}, {}}, sizes: p.Sizes}
		files, errs := pair{device: "shm_whole", plan: p, wrap: works.watch}.run(t)
		if errs != [2]error{} {
			t.Fatalf("%s: %v", kind, errs)
		}
		if n := len(works.sides[0]); n != len(comparedRows())*p.QPs {
			t.Errorf("%s: %d QPs", kind, n)
		}
		for side, qps := range works.sides {
			for n, w := range qps {
				sends := side == 0 || kind == option.KindLatency
				if w.writes != w.immediates || w.others > 0 || sends != (w.writes > 0) {
					t.Errorf("%s, side %d, QP %#x: %+v", kind, side, n, *w)
				}
				if took := works.sides[1-side][w.peer].receives; took != w.immediates+w.empty {
					t.Errorf("%s, side %d, QP %#x: %+v takes %d receives", kind, side, n, *w, took)
				}
			}
		}
		checkPairedRows(t, files[0])
	}
}

// checkPairedRows checks that the rows of all modes have the same shape and opcodes, and that the file says why.
func checkPairedRows(t *testing.T, f *result.File) {
	t.Helper()
	checkAlike(t, f)
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Opcode != "RDMA_WRITE+RDMA_WRITE_WITH_IMM" {
			t.Errorf("%d bytes: mode %s has opcode %s", r.Size, r.Name(), r.Opcode)
		}
	}
	if answer := f.Parameters.Plan.Routing; answer != option.RoutingAdaptive {
		t.Errorf("parameters say %q about routing", answer)
	}
	checkMissing(t, f)
}

// TestPairsAreRight: each byte of each message is right when its arrival is detected, also by the second
// request on devices whose WRITEs overtake each other.
func TestPairsAreRight(t *testing.T) {
	for _, device := range []string{"shm_whole", "shm_block128", "shm_unordered"} {
		for _, kind := range allKinds {
			for _, qps := range []int{1, 3} {
				p := withPairs(kind, 500, 1, 129, 4096)
				p.Verify, p.QPs = true, qps
				files, errs := pair{device: device, plan: p}.run(t)
				if errs != [2]error{} {
					t.Fatalf("%s, %s: %v", device, kind, errs)
				}
				for _, r := range files[0].Rows {
					if v := r.Verify; v == nil || v.Messages < p.Iterations || v.Bad() != 0 {
						t.Errorf("%s, %s, %d bytes, %s: %+v", device, kind, r.Size, r.Name(), v)
					}
				}
			}
		}
	}
}

// TestTornPairsAreSeen: mode data looks at the first request of a pair, not at the second one that follows in order.
func TestTornPairsAreSeen(t *testing.T) {
	if !promised {
		t.Skip("mode data does not run")
	}
	for _, kind := range allKinds {
		p := testPlan(option.OpWrite, kind, 4096, 1000)
		p.Completion, p.Verify, p.Routing = option.ModeData, true, option.RoutingAdaptive
		_, errs := pair{device: "shm_liar", plan: p}.run(t)
		for errs == [2]error{} && p.Iterations < 100_000 { // threads that share a CPU do not see it
			p.Iterations *= 5
			_, errs = pair{device: "shm_liar", plan: p}.run(t)
		}
		for side, err := range errs {
			if wrong := (*DataError)(nil); !errors.As(err, &wrong) {
				t.Errorf("%s side %d: %v", kind, side, err)
			}
		}
	}
}

// The receive of a pair holds no data, so a device that keeps short SENDs in the CQE runs mode data.
func TestPairsKeepScatterToCQE(t *testing.T) {
	p := withPairs(option.KindLatency, 100, 16)
	files, errs := pair{device: "shm_whole", plan: p, wrap: func(_ int, c verbs.Context) verbs.Context {
		return testdevice.Context(c, testdevice.Options{ScatterToCQE: 32, ScatterStays: true})
	}}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	checkPairedRows(t, files[0])
}

// fabricCard is a device of an embedded one's abilities that claims to be hardware on a link layer.
type fabricCard struct {
	verbs.Context
	link     verbs.LinkLayer
	software string
}

type fabricDevice struct {
	verbs.Device
	software string
}

func (d fabricDevice) Software() string { return d.software }

func (c fabricCard) Device() verbs.Device { return fabricDevice{c.Context.Device(), c.software} }

func (c fabricCard) QueryPort(port int) (verbs.PortAttr, error) {
	a, err := c.Context.QueryPort(port)
	a.LinkLayer = c.link
	return a, err
}

// TestUnknownRoutingIsWarnedAbout: a comparison in which data sends WRITE and poll WRITE with immediate data has a
// warning on cards of InfiniBand and RoCE, unless the user knows how the switches route.
func TestUnknownRoutingIsWarnedAbout(t *testing.T) {
	if !promised {
		t.Skip("mode data does not run")
	}
	plain := withPairs(option.KindLatency, 100, 8)
	plain.Routing, plain.Rounds = option.RoutingUnknown, 1
	ib, roce, eth := verbs.LinkInfiniBand, verbs.LinkEthernet, verbs.LinkUnspecified
	for name, c := range map[string]struct {
		set  func(*option.Plan)
		card fabricCard
		want bool
	}{
		"InfiniBand":    {func(*option.Plan) {}, fabricCard{link: ib}, true},
		"RoCE":          {func(*option.Plan) {}, fabricCard{link: roce}, true},
		"another link":  {func(*option.Plan) {}, fabricCard{link: eth}, false},
		"software":      {func(*option.Plan) {}, fabricCard{link: roce, software: "software"}, false},
		"adaptive":      {func(p *option.Plan) { p.Routing = option.RoutingAdaptive }, fabricCard{link: ib}, false},
		"static":        {func(p *option.Plan) { p.Routing = option.RoutingStatic }, fabricCard{link: ib}, false},
		"one opcode":    {func(p *option.Plan) { p.WriteWithImm = true }, fabricCard{link: ib}, false},
		"SEND":          {func(p *option.Plan) { p.Test.Op = option.OpSend }, fabricCard{link: ib}, false},
		"no comparison": {func(p *option.Plan) { p.Compare = false }, fabricCard{link: ib}, false},
	} {
		p := plain
		c.set(&p)
		files, errs := pair{device: "shm_whole", plan: p, wrap: func(_ int, inner verbs.Context) verbs.Context {
			card := c.card
			card.Context = inner
			return card
		}}.run(t)
		if errs != [2]error{} {
			t.Fatalf("%s: %v", name, errs)
		}
		for side, f := range files {
			if got := slices.ContainsFunc(f.Warnings, func(w result.Warning) bool { return w.ID == result.WarnRouting }); got != c.want {
				t.Errorf("%s, side %d: warned %v: %+v", name, side, got, f.Warnings)
			}
		}
	}
}
