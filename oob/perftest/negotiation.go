package perftest

import (
	"encoding/binary"
	"fmt"

	"github.com/ibperf/ibperf/option"
)

// Sizes of the message with the plan. It is longer if perftest was built with the library of mlx5 devices.
const (
	planSize     = 312
	planSizeMlx5 = 320
)

// negotiates reports whether perftest of a version sends its plan, and expects that of a peer that announces the same
// version.
func negotiates(version string) bool { return version >= "6.28" && len(version) == len("6.28") }

// ReceivePlan receives the plan of a client, if its version has one, and sends it back: perftest checks that the plans
// are equal, and the server has no other one. The options are those that the client was given or has by default.
func (p *Peer) ReceivePlan() (t option.Test, options []Option, err error) {
	b, err := p.c.readAtLeast("plan", planSize, planSizeMlx5)
	if err != nil {
		return t, nil, err
	}
	if t, options, err = parsePlan(b); err != nil {
		return t, nil, malformed("plan", err)
	}
	return t, options, p.c.write(b)
}

// HasPlan reports whether the client's version sends its plan.
func (p *Peer) HasPlan() bool { return p.c.server && negotiates(p.Version) }

// Option is an option of perftest's client.
type Option struct{ Name, Value string }

// Fields of the plan, numbers of 32 bits at these offsets.
const (
	atMethod, atTransport, atVerb, atTest, atAtomic, atStop, atUnit = 0, 4, 8, 12, 16, 20, 24

	atSize, atIterations = 32, 40 // of 64 bits

	atAES, atQPs, atDuration, atCM, atNoReorder, atSignature, atValidation = 48, 52, 56, 60, 68, 72, 76
)

// parsePlan returns the test and the options of a plan.
func parsePlan(b []byte) (t option.Test, options []Option, err error) {
	at := func(offset int) uint32 { return binary.BigEndian.Uint32(b[offset:]) }
	long := func(offset int) uint64 { return binary.BigEndian.Uint64(b[offset:]) }
	for _, f := range []struct {
		offset int
		option string
	}{{atAES, "--aes_xts"}, {atCM, "--rdma_cm"}, {atSignature, "--sig_offload"}, {atValidation, "--data_validation"}} {
		if at(f.offset) != 0 {
			return t, nil, fmt.Errorf("a plan with %s, which ibperf does not have with perftest on the other side: leave it out", f.option)
		}
	}
	ops := map[uint32]option.Op{0: option.OpSend, 2: option.OpWrite, 4: option.OpRead, 5: option.OpAtomic}
	transports := map[uint32]option.Transport{0: option.RC, 1: option.UC, 2: option.UD}
	op, known := ops[at(atVerb)]
	transport, offered := transports[at(atTransport)]
	switch {
	case !known:
		return t, nil, fmt.Errorf("a plan of operation %d; with perftest ibperf has SEND, WRITE, READ and atomic operations without immediate data", at(atVerb))
	case !offered:
		return t, nil, fmt.Errorf("a plan of transport %d; with perftest ibperf has RC, UC and UD", at(atTransport))
	case at(atTest) > 1:
		return t, nil, fmt.Errorf("a plan of test %d, want latency (0) or bandwidth (1)", at(atTest))
	case at(atMethod) > 1:
		return t, nil, fmt.Errorf("a plan with --run_infinitely, which ibperf does not have with perftest on the other side: leave it out")
	}
	t = option.Test{Op: op, Kind: option.KindLatency}
	if at(atTest) == 1 {
		t.Kind = option.KindBandwidth
		options = append(options, Option{"qp", fmt.Sprint(at(atQPs))})
	}
	options = append(options, Option{"connection", string(transport)})
	switch {
	case at(atMethod) == 1:
		options = append(options, Option{"all", "true"})
	case op == option.OpAtomic:
		options = append(options, Option{"atomic_type", map[bool]string{true: string(option.CmpAndSwap), false: string(option.FetchAndAdd)}[at(atAtomic) == 0]})
	default:
		options = append(options, Option{"size", fmt.Sprint(long(atSize))})
	}
	if at(atStop) == 1 {
		return t, append(options, Option{"duration", fmt.Sprint(at(atDuration))}), nil
	}
	return t, append(options, Option{"iters", fmt.Sprint(long(atIterations))}), nil
}
