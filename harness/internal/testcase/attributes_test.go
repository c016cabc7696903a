package testcase

import (
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// TestEveryOperationIsInTheTable: an operation without an entry would run as a WRITE.
func TestEveryOperationIsInTheTable(t *testing.T) {
	for _, op := range option.Ops() {
		if _, ok := operations[op]; !ok {
			t.Errorf("operation %s has no opcode: it is not in the table", op)
		}
	}
}

// Memory has no access rights that an EFA device may lack and the test does not need: efa_reg_mr refuses
// them (drivers/infiniband/hw/efa/efa_verbs.c).
func TestAccessRights(t *testing.T) {
	const local, write, read = verbs.AccessLocalWrite, verbs.AccessRemoteWrite, verbs.AccessRemoteRead
	for _, c := range []struct {
		transport option.Transport
		op        option.Op
		want      verbs.Access
	}{
		{option.UD, option.OpSend, local},
		{option.SRD, option.OpSend, local},
		{option.SRD, option.OpWrite, local | write},
		{option.SRD, option.OpRead, local | read},
		{option.RC, option.OpSend, local | write | read},
		{option.RC, option.OpAtomic, local | write | read | verbs.AccessRemoteAtomic},
	} {
		p := option.Defaults(option.Test{Op: c.op, Kind: option.KindBandwidth})
		p.Transport = c.transport
		if got := NewSet(p.Resolve()).Access(); got != c.want {
			t.Errorf("%s over %s: %v, want %v", c.op, c.transport, got, c.want)
		}
	}
}
