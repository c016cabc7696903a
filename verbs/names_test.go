package verbs

import (
	"fmt"
	"testing"
)

func TestStrings(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{OpRDMAWrite, "RDMA_WRITE"},
		{OpSendWithImm, "SEND_WITH_IMM"},
		{Opcode(99), "99"},
		{WCRecvRDMAWithImm, "RECV_RDMA_WITH_IMM"},
		{WCOpcode(77), "77"},
		{WCRetryExcErr, "RETRY_EXC_ERR"},
		{WCStatus(3), "status 3"},
		{WCStatus(1 << 31), "status 2147483648"},
		{QPRTS, "RTS"},
		{QPUnknown, "UNKNOWN"},
		{QPState(8), "8"},
		{QPTypeRC, "RC"},
		{QPTypeXRCSend, "XRC_SEND"},
		{QPType(11), "11"},
		{Access(0), "0"},
		{AccessLocalWrite | AccessRemoteRead, "LOCAL_WRITE|REMOTE_READ"},
		{AccessRelaxedOrdering | 1<<31, "RELAXED_ORDERING|bit31"},
		{MaskState | MaskDestQPN, "STATE|DEST_QPN"},
		{QPAttrMask(1 << 25), "bit25"},
		{AtomicHCA, "hca"},
		{AtomicCap(5), "5"},
		{ODPTransport(0x3f), "SEND|RECV|WRITE|READ|ATOMIC|SRQ_RECV"},
		{PortActive, "ACTIVE"},
		{PortState(9), "9"},
		{LinkEthernet, "Ethernet"},
		{LinkLayer(9), "unspecified"},
		{GIDTypeRoCEv2, "RoCE v2"},
		{GIDType(9), "unknown"},
		{OrderWhole, "whole message"},
		{OrderBlocks, "aligned 128-byte blocks"},
		{OrderNone, "not promised"},
		{OrderUnknown, "unknown"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("%T %d prints %q, want %q", c.value, c.value, got, c.want)
		}
	}
}

// TestStatusNames covers ERR-25: every number has a name and a cause.
func TestStatusNames(t *testing.T) {
	for s := range WCStatus(30) {
		if s.String() == "" || s.Cause() == "" {
			t.Errorf("status %d: %q, %q", uint32(s), s, s.Cause())
		}
	}
}

// TestValues pins the numbers that libibverbs is handed.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"IBV_WR_RDMA_READ", uint32(OpRDMARead), 4},
		{"IBV_SEND_INLINE", uint32(SendInline), 8},
		{"IBV_WC_RECV_RDMA_WITH_IMM", uint32(WCRecvRDMAWithImm), 129},
		{"IBV_WC_WITH_IMM", uint32(WCWithImm), 2},
		{"IBV_WC_WR_FLUSH_ERR", uint32(WCWRFlushErr), 5},
		{"IBV_WC_GENERAL_ERR", uint32(WCGeneralErr), 21},
		{"IBV_QPT_UD", uint32(QPTypeUD), 4},
		{"IBV_QPS_ERR", uint32(QPErr), 6},
		{"IBV_QP_DEST_QPN", uint32(MaskDestQPN), 1 << 20},
		{"IBV_ACCESS_RELAXED_ORDERING", uint32(AccessRelaxedOrdering), 1 << 20},
		{"IBV_MTU_4096", uint32(MTU4096), 5},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.name, c.got, c.want)
		}
	}
}

func TestMTUBytes(t *testing.T) {
	for m, want := range map[MTU]int{0: 0, MTU256: 256, MTU512: 512, MTU1024: 1024, MTU2048: 2048, MTU4096: 4096, 6: 0, 1 << 31: 0} {
		if got := m.Bytes(); got != want {
			t.Errorf("MTU %d has %d bytes, want %d", m, got, want)
		}
	}
}
