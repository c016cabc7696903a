package harness

import (
	"net/netip"
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
type exchangeOffice struct{ requests chan *cmEnd }

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
	return verbs.Path{Port: 1, TrafficClass: uint8(max(e.tos, 0))}.To(verbs.Endpoint{GID: gid.GID})
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
	office := &exchangeOffice{make(chan *cmEnd)}
	files, errs := pair{device: "shm_whole", plan: p,
		config: func(_ int, c *Config) { c.PeerIP = netip.MustParseAddr("127.0.0.1") },
		wrap: func(_ int, c verbs.Context) verbs.Context {
			return wrap.Context(byAddress{c, office}, wrap.Options{OnPostSend: posted})
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
