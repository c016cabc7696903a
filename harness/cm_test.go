package harness

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// exchangeOffice stands for the rdma_cm of both sides: what one sends is the other's.
type exchangeOffice struct {
	requests chan *cmEnd
	level    uint8 // service level of the paths that it chooses
}

// byAddress is an embedded device that is connected through the office.
type byAddress struct {
	verbs.Context
	office *exchangeOffice
}

// cmEnd is a side's end of a connection.
type cmEnd struct {
	byAddress
	space       verbs.CMSpace
	tos         int
	own, peer   verbs.CMParam
	there       *cmEnd // nil until a listener has the request
	accepted    chan struct{}
	established chan struct{}
}

func (c byAddress) end(space verbs.CMSpace, tos int) *cmEnd {
	return &cmEnd{byAddress: c, space: space, tos: tos, accepted: make(chan struct{}), established: make(chan struct{})}
}

func (c byAddress) ResolveCM(space verbs.CMSpace, _ netip.AddrPort, tos int, _ time.Duration) (verbs.CMConn, error) {
	return c.end(space, tos), nil
}

func (c byAddress) ListenCM(space verbs.CMSpace, _ netip.AddrPort) (verbs.CMListener, error) {
	return cmDesk{c, space}, nil
}

type cmDesk struct {
	byAddress
	space verbs.CMSpace
}

func (cmDesk) Port() uint16 { return 1 }
func (cmDesk) Close() error { return nil }

func (d cmDesk) Next(timeout time.Duration) (verbs.CMConn, error) {
	select {
	case from := <-d.office.requests:
		if from.space != d.space {
			return nil, syscall.ECONNREFUSED
		}
		here := d.end(from.space, from.tos) // the request tells it
		here.there, from.there, here.peer = from, here, from.own
		return here, nil
	case <-time.After(timeout):
		return nil, verbs.ErrTimeout
	}
}

func (e *cmEnd) PrivateData() []byte { return e.peer.PrivateData }
func (e *cmEnd) Close() error        { return nil }

func (e *cmEnd) Accept(p verbs.CMParam) error {
	e.there.peer = p
	close(e.there.accepted)
	return nil
}

func (e *cmEnd) Establish() error {
	close(e.there.established)
	return nil
}

func (e *cmEnd) AwaitEstablished(timeout time.Duration) error {
	select {
	case <-e.established:
		return nil
	case <-time.After(timeout):
		return verbs.ErrTimeout
	}
}

func (e *cmEnd) Connect(p verbs.CMParam, timeout time.Duration) error {
	e.own = p
	e.office.requests <- e
	select {
	case <-e.accepted:
		return nil
	case <-time.After(timeout):
		return verbs.ErrTimeout
	}
}

// cmQKey is that of all QPs of the port space of datagrams: RDMA_UDP_QKEY.
const cmQKey = 0x01234567

// way leads to the other side's port.
func (e *cmEnd) way() verbs.AHAttr {
	gid, err := e.there.QueryGID(1, 0)
	if err != nil {
		panic(err)
	}
	return verbs.Path{Port: 1, SL: e.office.level, TrafficClass: uint8(max(e.tos, 0))}.To(verbs.Endpoint{GID: gid.GID})
}

func (e *cmEnd) Datagrams() verbs.CMPeer {
	return verbs.CMPeer{AH: e.way(), QPNum: e.peer.QPNum, QKey: cmQKey}
}

// QPAttr leads to the other side's QP.
func (e *cmEnd) QPAttr(state verbs.QPState) (verbs.QPAttr, verbs.QPAttrMask, error) {
	if e.space == verbs.CMDatagrams {
		return verbs.QPAttr{PortNum: 1, QKey: cmQKey}, verbs.MaskState | verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskQKey, nil
	}
	attr := verbs.QPAttr{PortNum: 1, PathMTU: verbs.MTU4096, DestQPNum: e.peer.QPNum, AH: e.way()}
	return attr, map[verbs.QPState]verbs.QPAttrMask{
		verbs.QPInit: verbs.MaskState | verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskAccessFlags,
		verbs.QPRTR:  verbs.MaskState | verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN | verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer,
		verbs.QPRTS:  verbs.MaskState | verbs.MaskSQPSN | verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic,
	}[state], nil
}

// runByAddress runs a plan whose QPs are connected by address; posted is told of each request.
func runByAddress(t *testing.T, p option.Plan, posted func(qp verbs.QP, wr *verbs.SendWR)) [2]*result.File {
	t.Helper()
	office := &exchangeOffice{requests: make(chan *cmEnd)}
	return office.run(t, p, func(int, *Config) {}, posted)
}

// run runs a plan whose QPs are connected through the office; own changes what is a side's own.
func (o *exchangeOffice) run(t *testing.T, p option.Plan, own func(side int, c *Config), posted func(qp verbs.QP, wr *verbs.SendWR)) [2]*result.File {
	t.Helper()
	files, errs := pair{device: "shm_whole", plan: p,
		config: func(side int, c *Config) {
			c.PeerIP = netip.MustParseAddr("127.0.0.1")
			own(side, c)
		},
		wrap: func(_ int, c verbs.Context) verbs.Context {
			return wrap.Context(byAddress{c, o}, wrap.Options{OnPostSend: posted})
		}}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	return files
}

// With --rdma_cm all QPs are connected by address, and their packets have the type of service
// that is asked for.
func TestConnectedByAddress(t *testing.T) {
	for _, tos := range []int{verbs.CMDefaultTOS, 0x68} {
		var mu sync.Mutex
		seen := map[int]bool{}
		p := testPlan(option.OpSend, option.KindLatency, 8, 10)
		p.RDMACM, p.TOS, p.QPs = true, tos, 3
		runByAddress(t, p, func(qp verbs.QP, _ *verbs.SendWR) {
			attr, _, err := qp.Query(verbs.MaskAV)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[int(attr.AH.GRH.TrafficClass)] = true
		})
		if len(seen) != 1 || !seen[max(tos, 0)] {
			t.Errorf("-T %d: packets were sent with traffic classes %v", tos, seen)
		}
	}
}

// The device's only GID stands in its table twice.
func (c byAddress) QueryPort(port int) (verbs.PortAttr, error) {
	attr, err := c.Context.QueryPort(port)
	attr.GIDTableLen = 2
	return attr, err
}

func (c byAddress) QueryGID(port, index int) (verbs.GIDEntry, error) {
	e, err := c.Context.QueryGID(port, 0)
	e.Index = index
	return e, err
}

// With --rdma_cm the traffic class is asked for as a type of service. What is asked for and is not
// what rdma_cm chooses is warned of, on both sides.
func TestPathThatIsNotAsAskedFor(t *testing.T) {
	const level = 2
	for _, c := range []struct {
		name     string
		ask      func(p *option.Plan)
		gidIndex [2]int // the client's and the server's
		tclass   int    // of the packets
		want     []string
	}{
		{"nothing", func(*option.Plan) {}, [2]int{-1, -1}, 0, nil},
		{"what is chosen", func(p *option.Plan) { p.SL, p.TClass = level, 0x60 }, [2]int{0, 0}, 0x60, nil},
		{"another service level", func(p *option.Plan) { p.SL = 3 }, [2]int{-1, -1}, 0, []string{
			"on this side rdma_cm chose service level 2, and not that of --sl 3",
			"on the peer rdma_cm chose service level 2, and not that of --sl 3"}},
		{"two traffic classes", func(p *option.Plan) { p.TOS, p.TClass = 0x20, 0x60 }, [2]int{0, 0}, 0x20, []string{
			"on this side rdma_cm chose traffic class 32, and not that of --tclass 96",
			"on the peer rdma_cm chose traffic class 32, and not that of --tclass 96"}},
		{"another GID", func(*option.Plan) {}, [2]int{1, -1}, 0, []string{"rdma_cm chose GID index 0, and not that of --gid-index 1"}},
		{"other GIDs", func(*option.Plan) {}, [2]int{1, 1}, 0, []string{
			"on this side rdma_cm chose GID index 0, and not that of --gid-index 1",
			"on the peer rdma_cm chose GID index 0, and not that of --gid-index 1"}},
	} {
		for _, transport := range []option.Transport{option.RC, option.UD} {
			var classes sync.Map
			p := testPlan(option.OpSend, option.KindLatency, 8, 10)
			p.RDMACM, p.QPs, p.Transport = true, 2, transport
			c.ask(&p)
			office := &exchangeOffice{requests: make(chan *cmEnd), level: level}
			files := office.run(t, p, func(side int, own *Config) { own.GIDIndex = c.gidIndex[side] }, func(qp verbs.QP, _ *verbs.SendWR) {
				if attr, _, err := qp.Query(verbs.MaskAV); err == nil && transport == option.RC {
					classes.Store(int(attr.AH.GRH.TrafficClass), true)
				}
			})
			for side, f := range files {
				checkWarnings(t, fmt.Sprintf("%s over %s, side %d", c.name, transport, side), warningsOf(f, "rdma-cm-path"), c.want)
				if got := f.Local.Device.GIDIndex; got != 0 {
					t.Errorf("%s over %s, side %d: GID index %d in the file", c.name, transport, side, got)
				}
			}
			classes.Range(func(class, _ any) bool {
				if class != c.tclass {
					t.Errorf("%s: packets with traffic class %v, want %d", c.name, class, c.tclass)
				}
				return true
			})
		}
	}
}

// On InfiniBand a type of service is the subnet manager's QoS class, and no traffic class.
func TestTrafficClassIsATypeOfServiceOnEthernetAlone(t *testing.T) {
	for _, c := range []struct {
		link              verbs.LinkLayer
		tos, tclass, want int
	}{
		{verbs.LinkEthernet, verbs.CMDefaultTOS, 0, verbs.CMDefaultTOS},
		{verbs.LinkEthernet, verbs.CMDefaultTOS, 96, 96},
		{verbs.LinkEthernet, 0, 96, 0},
		{verbs.LinkInfiniBand, verbs.CMDefaultTOS, 96, verbs.CMDefaultTOS},
		{verbs.LinkInfiniBand, 32, 96, 32},
	} {
		r := rig{plan: &option.Plan{TOS: c.tos, TClass: c.tclass}, port: verbs.PortAttr{LinkLayer: c.link}}
		if got := r.typeOfService(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// A path without a GRH has neither a GID index nor a traffic class.
func TestPathWithoutAGRH(t *testing.T) {
	r := rig{cfg: &Config{GIDIndex: 3}, plan: &option.Plan{SL: 1, TClass: 96}}
	want := []string{
		"rdma_cm chose a path without a GID index, and not that of --gid-index 3",
		"rdma_cm chose a path without a traffic class, and not that of --tclass 96",
	}
	if got := r.unlike(&verbs.AHAttr{SL: 1}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// warningsOf are those about a whole run with the ID.
func warningsOf(f *result.File, id string) []result.Warning {
	return slices.DeleteFunc(slices.Clone(f.Warnings), func(w result.Warning) bool { return w.ID != id })
}

// QPs of UD are asked for by address, by each side, and have the Q_Key of that port space.
func TestDatagramsByAddress(t *testing.T) {
	for _, kind := range []string{option.KindLatency, option.KindBandwidth} {
		var mu sync.Mutex
		keys, qps := map[uint32]bool{}, map[uint32]bool{}
		p := testPlan(option.OpSend, kind, 64, 100)
		p.RDMACM, p.QPs, p.Transport, p.Both = true, 3, option.UD, kind == option.KindBandwidth
		files := runByAddress(t, p, func(qp verbs.QP, wr *verbs.SendWR) {
			_, _, key := wr.UD()
			mu.Lock()
			defer mu.Unlock()
			keys[key], qps[qp.QPNum()] = true, true
		})
		if len(keys) != 1 || !keys[cmQKey] || len(qps) < 3 {
			t.Errorf("%s: messages had Q_Keys %v and went by QPs %v", kind, keys, qps)
		}
		for side, f := range files {
			if d := onlyRow(t, f).Delivery; d == nil || d.Sent < 100 || d.Lost*2 > d.Sent {
				t.Errorf("%s, side %d: %+v", kind, side, d)
			}
		}
	}
}
