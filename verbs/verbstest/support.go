package verbstest

import (
	"errors"
	"slices"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// support holds what the suite has found a device to support, when the first statement asked.
type support struct {
	sqd map[verbs.QPType]bool // moves from RTS to SQD
}

const noSQD = "the device does not support RTS to SQD"

// hasSQD reports whether QPs of the type can be moved from RTS to SQD, which mlx5 does not have: the
// kernel's drivers/infiniband/hw/mlx5/qp.c, optab.
func (e *env) hasSQD(typ verbs.QPType) bool {
	e.Helper()
	has, asked := e.target.support.sqd[typ]
	if asked {
		return has
	}
	a, b := e.inState(conf().WithType(typ), verbs.QPRTS)
	err := a.TryTo(verbs.QPSQD, b)
	switch has = err == nil; {
	case has:
		a.Drain()
	case !errors.Is(err, syscall.EINVAL) && !errors.Is(err, verbs.ErrNotSupported):
		e.Fatalf("RTS to SQD: %v", err)
	}
	e.target.support.sqd[typ] = has
	return has
}

// needsSQD skips the statement on a device without SQD.
func (e *env) needsSQD() {
	e.Helper()
	if !e.hasSQD(verbs.QPTypeRC) {
		e.Skip(noSQD)
	}
}

// reachable returns the states that QPs of the type can be moved to.
func (e *env) reachable(typ verbs.QPType, states []verbs.QPState) []verbs.QPState {
	e.Helper()
	if e.hasSQD(typ) {
		return states
	}
	e.leaveOut(noSQD)
	return slices.DeleteFunc(slices.Clone(states), func(s verbs.QPState) bool { return s == verbs.QPSQD })
}

// leaveOut records that the statement skips a part of what it says.
func (e *env) leaveOut(why string) {
	e.Helper()
	if !slices.Contains(*e.leftOut, why) {
		*e.leftOut = append(*e.leftOut, why)
		e.Log("skipped:", why)
	}
}
