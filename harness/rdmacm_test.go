package harness

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/halt"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// exchangeOffice is a fake rdma_cm of both sides.
type exchangeOffice struct {
	requests chan *cmEnd
	level    uint8 // service level of the paths that it chooses
}

// byAddress is an embedded device whose connections the office makes.
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
		here := d.end(from.space, from.tos) // from the request
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

// cmQKey is the Q_Key of all QPs of RDMA_PS_UDP: RDMA_UDP_QKEY.
const cmQKey = 0x01234567

// route returns the address of the other side's port.
func (e *cmEnd) route() verbs.AHAttr {
	gid, err := e.there.QueryGID(1, 0)
	if err != nil {
		panic(err)
	}
	return verbs.Path{Port: 1, SL: e.office.level, TrafficClass: uint8(max(e.tos, 0))}.To(verbs.Endpoint{GID: gid.GID})
}

func (e *cmEnd) Datagrams() verbs.CMPeer {
	return verbs.CMPeer{AH: e.route(), QPNum: e.peer.QPNum, QKey: cmQKey}
}

// QPAttr leads to the other side's QP.
func (e *cmEnd) QPAttr(state verbs.QPState) (verbs.QPAttr, verbs.QPAttrMask, error) {
	if e.space == verbs.CMDatagrams {
		return verbs.QPAttr{PortNum: 1, QKey: cmQKey}, verbs.MaskState | verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskQKey, nil
	}
	attr := verbs.QPAttr{PortNum: 1, PathMTU: verbs.MTU4096, DestQPNum: e.peer.QPNum, AH: e.route()}
	return attr, map[verbs.QPState]verbs.QPAttrMask{
		verbs.QPInit: verbs.MaskState | verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskAccessFlags,
		verbs.QPRTR:  verbs.MaskState | verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN | verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer,
		verbs.QPRTS:  verbs.MaskState | verbs.MaskSQPSN | verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic,
	}[state], nil
}

// runByAddress runs a plan whose QPs are connected by address and calls posted for each request.
func runByAddress(t *testing.T, p option.Plan, posted func(qp verbs.QP, wr *verbs.SendWR)) [2]*result.File {
	t.Helper()
	office := &exchangeOffice{requests: make(chan *cmEnd)}
	return office.run(t, p, func(int, *Config) {}, posted)
}

// run runs a plan whose QPs are connected through the office; own changes the Config of a side.
func (o *exchangeOffice) run(t *testing.T, p option.Plan, own func(side int, c *Config), posted func(qp verbs.QP, wr *verbs.SendWR)) [2]*result.File {
	t.Helper()
	files, errs := pair{device: "shm_whole", plan: p,
		config: func(side int, c *Config) {
			c.PeerIP = netip.MustParseAddr("127.0.0.1")
			own(side, c)
		},
		wrap: func(_ int, c verbs.Context) verbs.Context {
			return testdevice.Context(byAddress{c, o}, testdevice.Options{OnPostSend: posted})
		}}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	return files
}

// With --rdma_cm all QPs are connected by address, and their packets have the type of service of -T.
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

// QueryPort returns a GID table of two entries, both of them the device's only GID.
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

// With --rdma_cm the traffic class is requested as a type of service. Both sides warn if rdma_cm
// chooses another service level, traffic class or GID than the options.
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

// warningsOf returns the warnings about the whole run with the ID.
func warningsOf(f *result.File, id result.WarningID) []result.Warning {
	return slices.DeleteFunc(slices.Clone(f.Warnings), func(w result.Warning) bool { return w.ID != id })
}

// Each side resolves the peer's UD QPs by address (SIDR), and they have the Q_Key of RDMA_PS_UDP.
func TestDatagramsByAddress(t *testing.T) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
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

// TestMissingRDMACMIsADeviceError also where the peer has found the same and ended the run before.
func TestMissingRDMACMIsADeviceError(t *testing.T) {
	s := &session{halt: halt.New()}
	s.halt.Set(&oob.PeerError{Peer: "host:1", Aborted: true, Reason: "device shm_whole has no rdma_cm"})
	err := s.failureReason(setup.Mismatchf("device shm_whole has no rdma_cm"))
	if !errors.As(err, new(*DeviceError)) {
		t.Errorf("got %v, want a DeviceError", err)
	}
}
