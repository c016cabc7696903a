package caps

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// armQP answers as libibverbs of rdma-core 60 and later on arm64: nothing unless DEVICE_ONLY is set
// (ibv_query_qp_data_in_order in libibverbs/verbs.c). An older library knows no such flag.
type armQP struct {
	verbs.QP
	old    bool
	device verbs.OrderCaps
}

func (q armQP) QueryDataInOrder(_ verbs.Opcode, flags verbs.OrderFlags) (verbs.OrderCaps, error) {
	switch {
	case flags&verbs.OrderDeviceOnly == 0:
		return 0, nil
	case q.old:
		return 0, &verbs.OpError{Verb: "query_qp_data_in_order", Errno: syscall.EINVAL}
	}
	return q.device, nil
}

// TestTwoAnswersOnArm64: where the CPU decides, text and answers have the library's and the device's.
func TestTwoAnswersOnArm64(t *testing.T) {
	defer func(before bool) { cpuDecides = before }(cpuDecides)
	for _, c := range []struct {
		qp   armQP
		want string
	}{
		{armQP{device: verbs.OrderWholeMsg | verbs.OrderAligned128Bytes}, "whole message"},
		{armQP{device: verbs.OrderAligned128Bytes}, "aligned 128-byte blocks"},
		{armQP{}, "not promised"},
		{armQP{old: true}, "unknown"},
	} {
		cpuDecides = true
		orders := askQP(c.qp)
		var text strings.Builder
		writeOrders(&text, orders)
		for _, o := range orders {
			if o.Answer != "not promised" || o.Device != c.want || o.Error != "" {
				t.Errorf("%+v, want the device's %q", o, c.want)
			}
			line := o.Operation + strings.Repeat(" ", 13-len(o.Operation)) + "not promised             " + c.want + "\n"
			if !strings.Contains(text.String(), line) {
				t.Errorf("the text lacks %q:\n%s", line, text.String())
			}
		}
		cpuDecides = false
		if o := askQP(c.qp)[0]; o.Device != "" {
			t.Errorf("on x86: %+v", o)
		}
	}
}
