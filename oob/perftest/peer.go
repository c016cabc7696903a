package perftest

import (
	"errors"
	"net"
	"net/netip"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Peer is a perftest on the other side of a run. What perftest does not send, such as the steps of a run, is made
// here: both sides of the run are this side then.
type Peer struct {
	Version string

	c      *conversation
	path   Opening
	plan   option.Plan
	gbits  bool // this side reports in Gbit/s
	gid    bool // QPs are addressed by GIDs
	mine   []oob.Endpoint
	theirs []oob.Endpoint
	sent   int64             // the last reading of this side's clock
	sizes  int               // number of sizes whose rows are complete
	row    *result.Bandwidth // of the size, from the peer's report
	early  bool              // the client's last keys have arrived, and were not answered
}

// New returns the peer at the other end of a connection over which the versions were exchanged.
func New(nc net.Conn, version string, server bool) *Peer {
	return &Peer{Version: version, c: newConversation(nc, server)}
}

// Open exchanges what both sides need before a test, and returns what both use.
func (p *Peer) Open(mine Opening) (both Opening, err error) {
	p.path, err = p.c.open(mine)
	return p.path, err
}

// Agree sets the plan of the run, and the unit in which perftest learns this side's figures.
func (p *Peer) Agree(plan option.ResolvedPlan, gbits bool) { p.plan, p.gbits = plan.Plan(), gbits }

// RemoteAddr returns perftest's address, host:port.
func (p *Peer) RemoteAddr() string { return p.c.nc.RemoteAddr().String() }

// LocalAddr returns this side's address, host:port.
func (p *Peer) LocalAddr() string { return p.c.nc.LocalAddr().String() }

// Authenticated reports whether both sides have proved a secret: perftest has none.
func (p *Peer) Authenticated() bool { return false }

// Lost is closed when perftest is gone.
func (p *Peer) Lost() <-chan struct{} { return p.c.lost }

// Err returns the reason once Lost is closed.
func (p *Peer) Err() error {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	return p.c.err
}

// Close ends the connection after a run.
func (p *Peer) Close() error {
	p.c.close()
	return nil
}

// Abort ends the connection. perftest has no message for the reason.
func (p *Peer) Abort(string, string) {
	_ = p.c.fail(oob.ErrClosed)
	p.c.end()
}

// Offer returns this side's own offer: perftest chooses its GID alone, by the same kind of address.
func (p *Peer) Offer(mine oob.Offer) (theirs oob.Offer, err error) {
	theirs = mine
	if here, err := netip.ParseAddrPort(p.LocalAddr()); err == nil {
		theirs.Peer = here.Addr().WithZone("").Unmap()
	}
	return theirs, nil
}

// Rendezvous fails: tests with rdma_cm have no connection of their own.
func (p *Peer) Rendezvous(oob.Rendezvous) (oob.Rendezvous, error) {
	return oob.Rendezvous{}, errors.New("perftest exchanges no addresses for rdma_cm")
}

// Endpoints exchanges the keys of all QPs.
func (p *Peer) Endpoints(mine []oob.Endpoint) (theirs []oob.Endpoint, err error) {
	p.mine, p.theirs = mine, make([]oob.Endpoint, len(mine))
	p.gid = mine[0].GID != verbs.GID{}
	if p.plan.Kind == option.KindLatency && p.plan.Op != option.OpSend {
		if err := p.exchangeKeys(0); err != nil {
			return nil, err
		}
	}
	if err := p.exchangeAll(); err != nil {
		return nil, err
	}
	return p.theirs, nil
}

// Promise tells perftest that the QPs are connected, and waits until its QPs are. The answer about data order is that of this
// side, where perftest's messages arrive.
func (p *Peer) Promise(mine oob.Promise) (oob.Promise, error) {
	theirs := oob.Promise{Order: mine.Order, Side: result.Side{Libraries: map[string]string{"perftest": p.Version}}}
	if p.plan.Op == option.OpSend {
		if err := p.exchangeKeys(0); err != nil {
			return theirs, err
		}
	}
	return theirs, p.exchangeAll()
}

// Step returns the step: both sides of the run are this side.
func (p *Peer) Step(mine oob.Step) (oob.Step, error) { return mine, nil }

// Align returns readings of this side's clock, which is the only one.
func (p *Peer) Align(mine oob.Reading) (oob.Reading, error) {
	theirs := oob.Reading{Sent: mine.Sent, Got: p.sent}
	p.sent = mine.Sent
	return theirs, nil
}

// Drain returns no receives.
func (p *Peer) Drain(unused []uint64) ([]uint64, error) { return make([]uint64, len(unused)), nil }

// Row returns the figures of perftest's report, if this size has one.
func (p *Peer) Row(oob.Row) (oob.Row, error) {
	row := oob.Row{Bandwidth: p.row}
	p.row = nil
	p.sizes++
	return row, nil
}

// exchangeKeys exchanges the keys of a QP. Each time they must be the same, because perftest uses the last ones.
func (p *Peer) exchangeKeys(qp int) error {
	if p.c.server {
		if err := p.receiveKeys(qp); err != nil {
			return err
		}
		p.mine[qp].RdAtomic = min(p.mine[qp].RdAtomic, p.theirs[qp].RdAtomic)
		return p.c.write(formatKeys(&p.mine[qp], p.gid))
	}
	if err := p.c.write(formatKeys(&p.mine[qp], p.gid)); err != nil {
		return err
	}
	return p.receiveKeys(qp)
}

func (p *Peer) receiveKeys(qp int) error {
	b, err := p.c.read("keys of its QPs", keysSize(p.gid))
	if err != nil {
		return err
	}
	e, err := parseKeys(b)
	if err != nil {
		return malformed("keys", err)
	}
	e.MTU, e.RelaxedRKey = p.path.MTU, e.RKey
	p.theirs[qp] = e
	return nil
}

// exchangeAll exchanges the keys of all QPs.
func (p *Peer) exchangeAll() error {
	for qp := range p.mine {
		if err := p.exchangeKeys(qp); err != nil {
			return err
		}
	}
	return nil
}
