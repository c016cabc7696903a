package verbstest

import (
	"errors"
	"runtime"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

var dioStatements = []statement{
	{"DIO-1", "what is promised is the order in which this QP receives: of messages, and of its READs", sendsAndReadsInOrder},
	{"DIO-2", "the answer is a mask of known promises, or yes or no", knownPromises},
	{"DIO-3", "yes is the whole-message promise", yesIsWholeMessage},
	{"DIO-4", "a whole message in order is blocks in order too", wholeImpliesBlocks},
	{"DIO-5", "an unknown flag is answered with no promise; on x86 the CPU adds and takes away nothing", orderFlags},
	{"DIO-6", "on a CPU other than x86 nothing is promised", otherCPUs},
	{"DIO-7", "software promises nothing of other operations", otherOperations},
	{"DIO-8", "asking is legal in every state", askedInEveryState},
	{"DIO-10", "where whole messages are promised, the last byte of a WRITE comes last", writesInOrder},
	{"DIO-12", "asking never fails", askingNeverFails},
	{"DIO-13", "without scatter to CQE data arrives although no CQ is polled", arrivesUnpolled},
}

var orderedOps = []verbs.Opcode{opSend, opWrite, opRead}

// promise returns the device's promise. It skips the statement if the library does not know the
// call or the flags.
func (s *side) promise(op verbs.Opcode, flags verbs.OrderFlags) verbs.OrderCaps {
	s.Helper()
	caps, err := s.QP.QueryDataInOrder(op, flags)
	if errors.Is(err, verbs.ErrNotSupported) || flags != 0 && errors.Is(err, syscall.EINVAL) {
		s.Skipf("the library is too old: %v", err)
	}
	s.ok(err)
	return caps
}

func knownPromises(e *env) {
	a, _ := e.pair(conf())
	for _, op := range orderedOps {
		yes := a.promise(op, 0)
		if yes > 1 {
			e.Errorf("%s: %#x without RETURN_CAPS", op, yes)
		}
		if e.hasQuirk("Q31") && yes != 0 {
			e.Errorf("%s: %#x: quirk Q31 no longer reproduces: remove it", op, yes)
		}
	}
	for _, op := range orderedOps {
		if caps := a.promise(op, verbs.OrderReturnCaps); caps&^(verbs.OrderWholeMsg|verbs.OrderAligned128Bytes) != 0 {
			e.Errorf("%s: %#x", op, caps)
		}
	}
}

func yesIsWholeMessage(e *env) {
	a, _ := e.pair(conf())
	for _, op := range orderedOps {
		yes, caps := a.promise(op, 0), a.promise(op, verbs.OrderReturnCaps)
		if (yes != 0) != (caps&verbs.OrderWholeMsg != 0) {
			e.Errorf("%s: %d, but %#x", op, yes, caps)
		}
	}
}

func wholeImpliesBlocks(e *env) {
	a, _ := e.pair(conf())
	for _, op := range orderedOps {
		if caps := a.promise(op, verbs.OrderReturnCaps); caps == verbs.OrderWholeMsg {
			e.Errorf("%s: %#x", op, caps)
		}
	}
}

func orderFlags(e *env) {
	a, _ := e.pair(conf())
	for _, op := range orderedOps {
		if caps := a.promise(op, verbs.OrderReturnCaps|1<<5); caps != 0 {
			e.Errorf("%s: %#x with an unknown flag", op, caps)
		}
		if runtime.GOARCH != "amd64" {
			continue
		}
		for _, flags := range []verbs.OrderFlags{0, verbs.OrderReturnCaps} {
			with, without := a.promise(op, flags|verbs.OrderDeviceOnly), a.promise(op, flags)
			if with != without {
				e.Errorf("%s: %#x by the device alone, %#x with the CPU", op, with, without)
			}
		}
	}
}

func otherCPUs(e *env) {
	if runtime.GOARCH == "amd64" {
		e.Skip("the CPU is an x86")
	}
	a, _ := e.pair(conf())
	for _, op := range orderedOps {
		if caps := a.promise(op, verbs.OrderReturnCaps); caps != 0 {
			e.Errorf("%s: %#x", op, caps)
		}
	}
}

func askedInEveryState(e *env) {
	a, b := e.side(conf()), e.side(conf())
	b.Enter(verbs.QPRTS, a)
	for _, state := range e.reachable(verbs.QPTypeRC, states) {
		a.Enter(state, b)
		for _, op := range orderedOps {
			if yes := a.promise(op, 0); yes > 1 {
				e.Errorf("%s in %s: %#x", op, state, yes)
			}
		}
	}
}

func askingNeverFails(e *env) {
	a, _ := e.pair(conf())
	for _, op := range []verbs.Opcode{opSend, opSendImm, opWrite, opWriteImm, opRead} {
		a.promise(op, 0)
		if _, call, err := verbs.AskOrder(a.QP, op); err != nil || call == "" {
			e.Errorf("%s: %q, %v", op, call, err)
		}
	}
}
