package option

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// Transport is a transport of QPs, in perftest's spelling.
type Transport string

// The transports.
const (
	RC  Transport = "RC"
	UC  Transport = "UC"
	UD  Transport = "UD"
	XRC Transport = "XRC"
	SRD Transport = "SRD" // of EFA devices
)

// Lossy reports whether the transport neither repeats nor reports lost messages.
func (t Transport) Lossy() bool { return t == UC || t == UD }

// Unordered reports whether messages and completions of the transport may overtake each other.
func (t Transport) Unordered() bool { return t == SRD }

// SRQ reports whether receives are posted to a shared receive queue. XRC has no other queues.
func (p *Plan) SRQ() bool { return p.UseSRQ || p.Transport == XRC }

// MayReorder reports whether QPs may have out-of-order placement: by perftest's rule RC QPs that are
// created by mlx5dv_create_qp (ctx_qp_create in src/perftest_resources.c).
func (p *Plan) MayReorder() bool {
	return p.Transport == RC && !p.RDMACM && !p.OldPostSend && !p.InOrder
}

// NoData returns the reason for which the test has no mode data, independent of the device's promise;
// empty if it has. A poller of memory must know the address of the next message, and which bytes
// will change there.
func (p *Plan) NoData() string {
	switch {
	case p.Perftest != nil && p.Test != Test{OpWrite, KindLatency}:
		return fmt.Sprintf("the peer is perftest, whose %s marks no messages", p.Program())
	case p.Op == OpAtomic:
		return "an atomic operation returns the peer's value, which may be any number, so its arrival cannot be detected in memory"
	case p.Op == OpSend && p.Transport.Lossy():
		return fmt.Sprintf("over %s a SEND may be lost, and the next one takes its receive, so the address of a message is not known before its completion", p.Transport)
	case p.Op == OpSend && p.Transport.Unordered():
		return fmt.Sprintf("over %s SENDs take receives in any order, so the address of a message is not known before its completion", p.Transport)
	case p.Op == OpSend && p.SRQ():
		return "the messages of all QPs take receives of a shared receive queue, so the address of a message is not known before its completion"
	}
	return ""
}

// NoCounter returns the reason for which the test has no mode counter, independent of the devices; empty
// if it has. The receiver knows how many WRITEs of the peer have completed on its QP, and nothing else
// about them. So the peer's other requests are no WRITEs, and messages are complete in the order in which
// they were posted.
func (p *Plan) NoCounter() string {
	switch {
	case p.Op != OpWrite:
		return "a completion counter counts WRITEs of the peer, and " + p.Program() + " measures " + p.Op.verb()
	case p.WriteWithImm:
		return "a WRITE with immediate data has a completion in the receiver's CQ"
	case p.Transport != RC && p.Transport != SRD:
		return fmt.Sprintf("completion counters are used over RC and SRD, not over %s", p.Transport)
	case p.Transport == SRD && p.Bandwidth():
		return "over SRD messages overtake each other, and a counter says how many have arrived, not which"
	case p.Both:
		return "in both directions credits arrive among the messages, and the counter counts these WRITEs too"
	case p.Routing == RoutingAdaptive:
		return "with --adaptive-routing yes each message has a second request, which the counter may count too"
	}
	return ""
}

// checkTransport refuses options that the transport does not support.
func (p *Plan) checkTransport() error {
	switch t := p.Transport; {
	case !t.Carries(p.Op):
		return fmt.Errorf("--connection %s: %s measures %s, and %s has only %s", t, p.Program(), p.Op.verb(), t, t.verbs())
	case (t == UC || t == XRC || t == SRD) && p.RDMACM:
		return fmt.Errorf("--rdma_cm connects RC and UD QPs only: leave --connection %s out", t)
	case p.UseSRQ && (t == UC || t == SRD):
		return fmt.Errorf("--use-srq: %s QPs have no shared receive queue: use RC, UD or XRC", t)
	case t == UD && p.Offset != 0:
		return fmt.Errorf("--offset: a UD message always starts %d bytes past a 128-byte boundary, after its GRH", GRH)
	case t.Lossy() && p.NoPeak && !p.Bandwidth():
		return fmt.Errorf("--noPeak: over %s messages may be lost, and only single samples can leave out the wait for them", t)
	case t == SRD:
		return p.checkSRD()
	}
	return p.checkDatagrams()
}

// checkSRD refuses options that SRD does not support.
func (p *Plan) checkSRD() error {
	switch {
	case p.CQMod > 1:
		return fmt.Errorf("--cq-mod %d: every SRD request has a completion: leave it out", p.CQMod)
	case p.MTU > 0:
		return fmt.Errorf("--mtu: SRD QPs have no path MTU: leave it out")
	case p.Outs > 0:
		return fmt.Errorf("--outs: SRD QPs have no limit of outstanding READs: use --tx-depth")
	case p.Inline > 0 && p.Op == OpWrite:
		return fmt.Errorf("--inline_size %d: over SRD only SENDs are sent inline: leave it out", p.Inline)
	}
	return nil
}

// GRH is the size of the routing header in front of each UD message.
const GRH = 40

// checkDatagrams refuses sizes that do not fit into one packet at any port. It accepts default
// sizes and --all, which [Plan.Fit] reduces.
func (p *Plan) checkDatagrams() error {
	copied := *p
	return copied.Fit(p.maxDatagram())
}

// CheckGivenSizes refuses sizes of --size that do not fit into one packet at any port. It refuses the
// default size too, which [Plan.Check] accepts because --size may not have been given.
func (p *Plan) CheckGivenSizes() error {
	whole := p.implied()
	if limit := whole.maxDatagram(); slices.Max(whole.Sizes) > limit && !slices.Equal(whole.Sizes, AllSizes()) {
		return whole.tooLong(limit)
	}
	return nil
}

// maxDatagram returns the largest UD message that any port could carry with the plan.
func (p *Plan) maxDatagram() int {
	switch {
	case p.Transport != UD:
		return MaxSize
	case p.MTU > 0:
		return p.MTU
	}
	return verbs.MTU4096.Bytes()
}

// Fit reduces the sizes of a test whose messages have at most limit bytes, as perftest does: it
// drops sizes of --all, lowers a default size, and refuses other sizes.
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
	return fmt.Errorf("--size %s: over %s a message has at most %d bytes", joined(p.Sizes), p.Transport, limit)
}

// below returns the largest power of two up to n.
func below(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// Limited reports whether the largest message depends on both ports: over UD a message is one packet,
// and over SRD a SEND is.
func (p *Plan) Limited() bool { return p.Transport == UD || p.Transport == SRD && p.Op == OpSend }
