package testcase

import (
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// operations holds the opcode of each operation, the remote access that it needs, and perftest's
// default of --inline_size in latency tests.
var operations = map[option.Op]struct {
	opcode verbs.Opcode
	access verbs.Access
	inline int
}{
	option.OpWrite:  {verbs.OpRDMAWrite, verbs.AccessRemoteWrite, 220},
	option.OpSend:   {verbs.OpSend, 0, 236},
	option.OpRead:   {verbs.OpRDMARead, verbs.AccessRemoteRead, 0},
	option.OpAtomic: {verbs.OpAtomicFetchAndAdd, verbs.AccessRemoteAtomic, 0}, // or CMP_AND_SWAP, see opcodeOf
}

// inlineUD is perftest's default of --inline_size over UD in latency tests.
const inlineUD = 188

// smallerInlines are perftest's defaults for devices with a smaller limit, which it knows by name
// (ctx_set_max_inline in src/perftest_parameters.c).
var smallerInlines = []int{128, 101, 96, 64, 48, 32, 0}

// QPType returns the type of the QPs.
func (s *Set) QPType() verbs.QPType {
	return map[option.Transport]verbs.QPType{
		option.RC: verbs.QPTypeRC, option.UC: verbs.QPTypeUC, option.UD: verbs.QPTypeUD, option.XRC: verbs.QPTypeXRCSend,
		option.SRD: verbs.QPTypeSRD,
	}[s.Plan.Transport]
}

// Opcode returns the opcode for which devices are asked about data order. It is the one that is posted,
// except for a WRITE that gets immediate data because its receiver needs a completion.
func (s *Set) Opcode() verbs.Opcode { return opcodeOf(&s.Plan) }

// Access returns the access flags of the memory. EFA devices refuse flags of operations that they do not
// support, so over UD and SRD they are only those that the test needs.
func (s *Set) Access() verbs.Access {
	p := &s.Plan
	if p.Transport == option.UD || p.Transport == option.SRD {
		return verbs.AccessLocalWrite | operations[p.Op].access
	}
	return verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | operations[p.Op].access
}

// SendOps returns the operations that the QPs post: those of all messages, WRITEs of credits and flags,
// the empty WRITE or READ whose completion says that all earlier requests are complete, and the empty SENDs
// that use up receives.
func (s *Set) SendOps() (ops verbs.SendOps) {
	if !s.Datagrams() {
		ops = verbs.SendOpRDMAWrite
	}
	for _, c := range s.Possible {
		if c.Paired {
			ops |= verbs.SendOpRDMAWriteWithImm
		}
		if c.ByCounter && !s.Datagrams() {
			ops |= verbs.SendOpRDMARead
		}
		if ops |= 1 << c.Opcode; c.UsesCredits {
			ops |= verbs.SendOpRDMAWrite
		}
		if c.UsesReceives {
			ops |= verbs.SendOpSend
		}
	}
	return ops
}

// Outstanding returns the number of READs or atomic operations that a QP may have outstanding on a
// device with the limit deviceMax. It is 1 in other tests.
func (s *Set) Outstanding(deviceMax int) int {
	switch p := &s.Plan; {
	case !p.Fetches():
		return 1
	case p.Outs > 0:
		return min(p.Outs, deviceMax)
	}
	return deviceMax
}

// Inlines returns the sizes of inline data to request from a device, in the order of the attempts.
func (s *Set) Inlines() []int {
	p := &s.Plan
	if p.Inline >= 0 {
		return []int{p.Inline}
	}
	if p.Transport == option.SRD && p.Op != option.OpSend {
		return []int{0} // a WRITE with inline data needs a QP that older devices do not support
	}
	first := operations[p.Op].inline
	if p.Transport == option.UD {
		first = inlineUD
	}
	return append([]int{first}, smallerInlines...)
}

// opcodeOf returns the operation of the plan. A WRITE whose receiver needs a completion becomes a
// WRITE with immediate data in newCase.
func opcodeOf(p *option.Plan) verbs.Opcode {
	switch {
	case p.WriteWithImm:
		return verbs.OpRDMAWriteWithImm
	case p.SendWithImm:
		return verbs.OpSendWithImm
	case p.Op == option.OpAtomic && p.AtomicType == option.CmpAndSwap:
		return verbs.OpAtomicCmpAndSwp
	}
	return operations[p.Op].opcode
}

// takesReceives reports whether messages of the opcode need posted receives.
func takesReceives(op verbs.Opcode) bool {
	return op == verbs.OpSend || op == verbs.OpSendWithImm || op == verbs.OpRDMAWriteWithImm
}
