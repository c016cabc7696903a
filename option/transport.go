package option

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// Transport is what QPs are connected by, in perftest's spelling.
type Transport string

// The transports.
const (
	RC  Transport = "RC"
	UC  Transport = "UC"
	UD  Transport = "UD"
	XRC Transport = "XRC"
	SRD Transport = "SRD" // of EFA devices
)

// Lossy tells transports that do not repeat what is lost, and tell nobody.
func (t Transport) Lossy() bool { return t == UC || t == UD }

// Unordered tells transports whose messages overtake each other, and their completions too.
func (t Transport) Unordered() bool { return t == SRD }

// Carries tells whether QPs of the transport have the operation.
func (t Transport) Carries(op Op) bool {
	switch t {
	case UD:
		return op == OpSend
	case UC:
		return op == OpSend || op == OpWrite
	case SRD:
		return op != OpAtomic
	}
	return true
}

// SRQ tells whether receives are those of a shared queue: XRC has no others.
func (p *Plan) SRQ() bool { return p.UseSRQ || p.Transport == XRC }

// NoData says why the test has no mode data whatever a device promises, "" if it has one:
// who spins on memory has to know where the next message will be, and what will differ there.
func (p *Plan) NoData() string {
	switch {
	case p.Op == OpAtomic:
		return "an atomic operation brings what was at the peer, which may be any number, so nothing in memory tells that it has arrived"
	case p.Op == OpSend && p.Transport.Lossy():
		return fmt.Sprintf("over %s a SEND may be lost, and the next one takes its receive, so it is not known which message a place in memory will hold", p.Transport)
	case p.Op == OpSend && p.Transport.Unordered():
		return fmt.Sprintf("over %s messages and receives have no order, and only its completion tells which receive a SEND has taken, so it is not known where the next one will be", p.Transport)
	case p.Op == OpSend && p.SRQ():
		return "the messages of all QPs take the receives of a shared receive queue, so it is not known where the next one of a QP will be"
	}
	return ""
}

// checkTransport refuses what a transport does not carry, by name.
func (p *Plan) checkTransport() error {
	switch t := p.Transport; {
	case !t.Carries(p.Op):
		return fmt.Errorf("--connection %s: %s measures %s, and %s has %s only", t, p.Program(), p.Op.verb(), t, t.verbs())
	case (t == UC || t == XRC || t == SRD) && p.RDMACM:
		return fmt.Errorf("--rdma_cm connects QPs of RC and UD: leave --connection %s out", t)
	case p.UseSRQ && (t == UC || t == SRD):
		return fmt.Errorf("--use-srq: QPs of %s have no shared receive queue; use RC, UD or XRC", t)
	case t == UD && p.Offset != 0:
		return fmt.Errorf("--offset: a message of UD begins %d bytes behind a block, where the GRH before it ends", GRH)
	case t.Lossy() && p.NoPeak && !p.Bandwidth():
		return fmt.Errorf("--noPeak: over %s messages may be lost, and what waiting for them takes can only be left out of single samples", t)
	case t == SRD:
		return p.checkSRD()
	}
	return p.checkDatagrams()
}

// verbs names what a transport carries that does not carry everything.
func (t Transport) verbs() string {
	return map[Transport]string{UD: "SEND", UC: "SEND and WRITE", SRD: "SEND, WRITE and READ"}[t]
}

// checkSRD refuses what QPs of SRD cannot be told.
func (p *Plan) checkSRD() error {
	switch {
	case p.CQMod > 1:
		return fmt.Errorf("--cq-mod %d: every request of SRD has a completion; leave it out", p.CQMod)
	case p.MTU > 0:
		return fmt.Errorf("--mtu: QPs of SRD have no path MTU; leave it out")
	case p.Outs > 0:
		return fmt.Errorf("--outs: QPs of SRD have no limit of READs that are outstanding; use --tx-depth")
	case p.Inline > 0 && p.Op == OpWrite:
		return fmt.Errorf("--inline_size %d: over SRD SENDs alone are sent inline; leave it out", p.Inline)
	}
	return nil
}

// GRH is how many bytes the routing header takes in front of each message of UD.
const GRH = 40

// checkDatagrams refuses sizes that no port carries in one packet. Those that stand for
// all that is possible become fewer, see [Plan.Fit].
func (p *Plan) checkDatagrams() error {
	copied := *p
	return copied.Fit(p.mostDatagram())
}

// CheckGivenSizes refuses sizes that no port carries in one packet and that were given by their
// number: the default's too, which [Plan.Check] lets pass since it may stand for nothing given.
func (p *Plan) CheckGivenSizes() error {
	whole := p.implied()
	if most := whole.mostDatagram(); slices.Max(whole.Sizes) > most && !slices.Equal(whole.Sizes, AllSizes()) {
		return whole.tooLong(most)
	}
	return nil
}

// mostDatagram is the length of a message that no port carries more of, as far as the plan tells.
func (p *Plan) mostDatagram() int {
	switch {
	case p.Transport != UD:
		return MaxSize
	case p.MTU > 0:
		return p.MTU
	}
	return verbs.MTU4096.Bytes()
}

// Fit makes the sizes of a test whose messages have a limit of so many bytes fit, as perftest
// does: sizes that nobody asked for by their number become those that are possible, others
// are refused.
func (p *Plan) Fit(limit int) error {
	var fitting []int
	for _, size := range p.Sizes {
		if size <= limit {
			fitting = append(fitting, size)
		}
	}
	switch {
	case len(fitting) == len(p.Sizes):
		return nil
	case limit > 0 && joined(p.Sizes) == joined(Defaults(p.Test).Sizes):
		fitting = []int{below(limit)}
	case joined(p.Sizes) != joined(AllSizes()) || len(fitting) == 0:
		return p.tooLong(limit)
	}
	p.Sizes = fitting
	return nil
}

func (p *Plan) tooLong(limit int) error {
	return fmt.Errorf("--size %s: over %s a message has %d bytes at most", joined(p.Sizes), p.Transport, limit)
}

// below is the largest power of two that is no larger than n.
func below(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// Limited tells tests whose longest message is not known before both ports have been asked:
// over UD it is one packet, and over SRD a SEND is.
func (p *Plan) Limited() bool { return p.Transport == UD || p.Transport == SRD && p.Op == OpSend }

// verb is the operation's name on the wire.
func (op Op) verb() string {
	return map[Op]string{OpWrite: "WRITE", OpSend: "SEND", OpRead: "READ", OpAtomic: "atomic operations"}[op]
}
