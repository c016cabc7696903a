package harness

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// doublePeer is the peer of a side whose other side is the double: handshakes are meetings, and the rest is made
// here.
type doublePeer struct {
	d     *perftestDouble
	lost  chan struct{}
	err   error
	mine  []oob.Endpoint
	ready int
	ended chan struct{} // the double has ended
}

func (p *doublePeer) meet() (theirs []oob.Endpoint, err error) {
	select {
	case theirs = <-p.d.hs:
		p.d.theirs <- p.mine
		return theirs, nil
	case <-p.ended:
		return nil, errors.New("perftest has ended")
	case <-time.After(time.Minute):
		return nil, errors.New("perftest does not answer")
	}
}

func (p *doublePeer) Offer(mine oob.Offer) (oob.Offer, error) { return mine, nil }
func (p *doublePeer) Rendezvous(oob.Rendezvous) (oob.Rendezvous, error) {
	return oob.Rendezvous{}, errors.ErrUnsupported
}
func (p *doublePeer) Drain([]uint64) ([]uint64, error) { return nil, errors.ErrUnsupported }

func (p *doublePeer) Endpoints(mine []oob.Endpoint) ([]oob.Endpoint, error) {
	p.mine = mine
	return p.meet()
}

func (p *doublePeer) Promise(mine oob.Promise) (oob.Promise, error) {
	_, err := p.meet()
	return oob.Promise{Order: mine.Order}, err
}

func (p *doublePeer) Step(mine oob.Step) (oob.Step, error) { return mine, nil }
func (p *doublePeer) Align(mine oob.Reading) (oob.Reading, error) {
	return oob.Reading{Sent: mine.Sent, Got: mine.Sent}, nil
}

// Ready is the handshake before messages, and at last the closing one.
func (p *doublePeer) Ready() (err error) {
	p.ready++
	closing := p.ready > len(p.sizes())
	switch {
	case closing && p.d.latency() && p.d.plan.Op == option.OpWrite:
		<-p.ended
	case closing || p.ready == 1 || p.d.perSize():
		_, err = p.meet()
	}
	return err
}

// sizes returns the sizes of this side: the last one, if the client's figures of the others remain unknown.
func (p *doublePeer) sizes() []int { return sizesBeside(p.d) }

func sizesBeside(d *perftestDouble) []int {
	if s := d.plan.Sizes; !d.server && !d.perSize() && (!d.latency() || d.plan.Fetches()) {
		return s[len(s)-1:]
	}
	return d.plan.Sizes
}

// measuredThere reports whether the double alone measures a stream that it sends.
func (p *doublePeer) measuredThere() bool {
	return !p.d.latency() && (p.d.plan.Both || !p.d.server && !p.d.sends())
}

func (p *doublePeer) Finish(sent []uint64) ([]uint64, error) {
	n := p.d.plan.Iterations * uint64(p.d.plan.QPs)
	if d := p.d; !d.latency() && !d.plan.Both && (!d.sends() && p.ready == len(p.sizes()) || d.sends() && !d.server && d.plan.Duration > 0) {
		if d.sends() {
			return []uint64{0}, p.awaitClosing()
		}
		_, err := p.meet()
		return []uint64{n}, err
	}
	return []uint64{n}, nil
}

// awaitClosing waits until the client's closing handshake has arrived, without answering it.
func (p *doublePeer) awaitClosing() error {
	theirs := <-p.d.hs
	go func() { p.d.hs <- theirs }()
	return nil
}

func (p *doublePeer) Result(mine oob.Round) (oob.Round, error) {
	if !p.measuredThere() {
		return oob.Round{}, nil
	}
	if p.d.plan.Both {
		if _, err := p.meet(); err != nil {
			return oob.Round{}, err
		}
	}
	r := oob.Round{Figure: p.d.report, Begin: mine.Begin}
	r.End = mine.Begin + int64(r.Figure.Seconds*1e9)
	return r, nil
}

func (p *doublePeer) Row(oob.Row) (oob.Row, error) {
	if !p.measuredThere() {
		return oob.Row{}, nil
	}
	f := p.d.report
	return oob.Row{Bandwidth: &result.Bandwidth{Messages: f.Messages, Bytes: f.Messages * uint64(p.d.current), Seconds: f.Seconds,
		Average: f.Average, MsgRate: float64(f.Messages) / f.Seconds, MeasuredAt: "sender"}}, nil
}

func (p *doublePeer) Lost() <-chan struct{} { return p.lost }
func (p *doublePeer) Err() error            { return p.err }

// sentBySide counts what this side posts, and checks that it is what perftest expects.
type sentBySide struct {
	sync.Mutex
	d     *perftestDouble
	count map[uint32]uint64
	wrong error
}

func (s *sentBySide) onPost(qp verbs.QP, wr *verbs.SendWR) {
	s.Lock()
	defer s.Unlock()
	s.count[qp.QPNum()]++
	want := map[option.Op]verbs.Opcode{option.OpWrite: verbs.OpRDMAWrite, option.OpRead: verbs.OpRDMARead,
		option.OpSend: verbs.OpSend, option.OpAtomic: verbs.OpAtomicFetchAndAdd}[s.d.plan.Op]
	if wr.Opcode != want || wr.NumSGE != 1 {
		s.wrong = fmt.Errorf("a request %s with %d parts", wr.Opcode, wr.NumSGE)
		return
	}
	var addr uint64
	switch {
	case wr.Opcode == verbs.OpSend:
		return
	case s.d.plan.Atomic():
		addr, _, _, _ = wr.Atomic()
	default:
		addr, _ = wr.RDMA()
	}
	known := false
	for i := range s.d.qps {
		known = known || addr == s.d.mr.Addr()+uint64(s.d.rx(i))
	}
	if !known {
		s.wrong = fmt.Errorf("a message to address %#x", addr)
	}
}

// besidePerftest runs one side of a plan beside the double, and returns the side's file and what it has posted.
func besidePerftest(t *testing.T, plan option.Plan, ours Role) (*result.File, map[uint32]uint64) {
	t.Helper()
	d := &perftestDouble{plan: plan, server: ours == Client, hs: make(chan []oob.Endpoint), theirs: make(chan []oob.Endpoint), quit: make(chan struct{})}
	p := &doublePeer{d: d, lost: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		if p.err = d.run("shm_whole"); p.err != nil {
			close(p.lost)
		}
	}()
	posts := &sentBySide{d: d, count: map[uint32]uint64{}}
	opened := openDevice(t, "shm_whole")
	defer opened.Close()
	f := &result.File{}
	plan.Perftest = &option.Perftest{Version: "6.06", Server: d.server, Cycle: perftestCycle}
	plan.Sizes = sizesBeside(d)
	err := Run(t.Context(), Config{Plan: resolvedPlan(t, plan), Role: ours, GIDIndex: -1, Peer: p, File: f,
		Devices: []DevicePort{{Context: testdevice.Context(opened, testdevice.Options{OnPostSend: posts.onPost}), Port: 1}}, Begin: func(Beginning) {}, Row: func(result.Row) {}})
	close(d.quit)
	<-p.ended
	if err != nil || p.err != nil || posts.wrong != nil {
		t.Fatalf("%s of %s: %v; perftest: %v; %v", ours, plan.Program(), err, p.err, posts.wrong)
	}
	return f, posts.count
}
