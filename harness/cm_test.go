package harness

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
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
	tos         int
	own, peer   verbs.CMParam
	there       *cmEnd // nil until a listener has the request
	accepted    chan struct{}
	established chan struct{}
}

func (c byAddress) end(tos int) *cmEnd {
	return &cmEnd{byAddress: c, tos: tos, accepted: make(chan struct{}), established: make(chan struct{})}
}

func (c byAddress) ResolveCM(_ netip.AddrPort, tos int, _ time.Duration) (verbs.CMConn, error) {
	return c.end(tos), nil
}

func (c byAddress) ListenCM(netip.AddrPort) (verbs.CMListener, error) { return cmDesk{c}, nil }

type cmDesk struct{ byAddress }

func (cmDesk) Port() uint16 { return 1 }
func (cmDesk) Close() error { return nil }

func (d cmDesk) Next(timeout time.Duration) (verbs.CMConn, error) {
	select {
	case from := <-d.office.requests:
		here := d.end(from.tos) // the request tells it
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

// QPAttr leads to the other side's QP.
func (e *cmEnd) QPAttr(state verbs.QPState) (verbs.QPAttr, verbs.QPAttrMask, error) {
	gid, err := e.there.QueryGID(1, 0)
	if err != nil {
		return verbs.QPAttr{}, 0, err
	}
	path := verbs.Path{Port: 1, TrafficClass: uint8(max(e.tos, 0))}
	attr := verbs.QPAttr{PortNum: 1, PathMTU: verbs.MTU4096, DestQPNum: e.peer.QPNum, AH: path.To(verbs.Endpoint{GID: gid.GID})}
	return attr, map[verbs.QPState]verbs.QPAttrMask{
		verbs.QPInit: verbs.MaskState | verbs.MaskPort | verbs.MaskPKeyIndex | verbs.MaskAccessFlags,
		verbs.QPRTR:  verbs.MaskState | verbs.MaskAV | verbs.MaskPathMTU | verbs.MaskDestQPN | verbs.MaskRQPSN | verbs.MaskMaxDestRdAtomic | verbs.MaskMinRNRTimer,
		verbs.QPRTS:  verbs.MaskState | verbs.MaskSQPSN | verbs.MaskTimeout | verbs.MaskRetryCnt | verbs.MaskRNRRetry | verbs.MaskMaxRdAtomic,
	}[state], nil
}

// With --rdma_cm all QPs are connected by address, and their packets have the type of service
// that is asked for.
func TestConnectedByAddress(t *testing.T) {
	for _, tos := range []int{verbs.CMDefaultTOS, 0x68} {
		office := &exchangeOffice{make(chan *cmEnd)}
		var mu sync.Mutex
		seen := map[int]bool{}
		p := testPlan(option.OpSend, option.KindLatency, 8, 10)
		p.RDMACM, p.TOS, p.QPs = true, tos, 3
		_, errs := pair{device: "shm_whole", plan: p,
			config: func(_ int, c *Config) { c.PeerIP = netip.MustParseAddr("127.0.0.1") },
			wrap: func(_ int, c verbs.Context) verbs.Context {
				return wrap.Context(byAddress{c, office}, wrap.Options{OnPostSend: func(qp verbs.QP, _ *verbs.SendWR) {
					attr, _, err := qp.Query(verbs.MaskAV)
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					seen[int(attr.AH.GRH.TrafficClass)] = true
				}})
			}}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		if len(seen) != 1 || !seen[max(tos, 0)] {
			t.Errorf("-T %d: packets were sent with traffic classes %v", tos, seen)
		}
	}
}
