package verbstest

import (
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

type (
	config = fixture.Config
	send   = fixture.Send
	recv   = fixture.Recv
	queue  = fixture.Queue
)

// Queue sizes of the default configuration.
const (
	depth     = fixture.Depth
	maxSGE    = fixture.MaxSGE
	maxInline = fixture.MaxInline
)

// allRights are the access flags that WRITE and READ need.
const allRights = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead

// Opcodes and flags of most statements.
const (
	opWrite    = verbs.OpRDMAWrite
	opWriteImm = verbs.OpRDMAWriteWithImm
	opSend     = verbs.OpSend
	opSendImm  = verbs.OpSendWithImm
	opRead     = verbs.OpRDMARead
	opSwap     = verbs.OpAtomicCmpAndSwp
	opAdd      = verbs.OpAtomicFetchAndAdd
	signaled   = verbs.SendSignaled
)

var imm = [4]byte{1, 2, 3, 4}

func conf() config { return fixture.Default() }

// side is one end of a connection, in a statement.
type side struct {
	*env
	fixture.Side
}

// side opens the device and makes a QP in RESET.
func (e *env) side(c config) *side {
	e.Helper()
	return e.sideOn(e.open(), c)
}

// sideOn makes a side in an opened device.
func (e *env) sideOn(ctx verbs.Context, c config) *side {
	e.Helper()
	c.Port, c.GIDIndex = e.target.Port, e.target.GIDIndex
	return &side{e, *fixture.New(e, ctx, c)}
}

// registerInOtherPD registers the side's memory in another PD.
func (s *side) registerInOtherPD() verbs.MR {
	s.Helper()
	return s.register(s.env.pd(s.Ctx), s.Mem, allRights)
}

// pair makes two sides, each with an opened device of its own, connected in RTS.
func (e *env) pair(c config) (a, b *side) {
	e.Helper()
	a, b = e.side(c), e.side(c)
	fixture.Connect(a, b)
	return a, b
}
