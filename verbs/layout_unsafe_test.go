package verbs

import (
	"fmt"
	"testing"
	"unsafe"
)

// TestLayout: requests and completions are passed to libibverbs without conversion, so
// sizes and offsets are those of <infiniband/verbs.h> on 64-bit systems.
func TestLayout(t *testing.T) {
	var (
		sge  SGE
		send SendWR
		recv RecvWR
		wc   WC
	)
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"sizeof ibv_sge", unsafe.Sizeof(sge), 16},
		{"ibv_sge.addr", unsafe.Offsetof(sge.Addr), 0},
		{"ibv_sge.length", unsafe.Offsetof(sge.Length), 8},
		{"ibv_sge.lkey", unsafe.Offsetof(sge.LKey), 12},
		{"sizeof ibv_recv_wr", unsafe.Sizeof(recv), 32},
		{"ibv_recv_wr.wr_id", unsafe.Offsetof(recv.WRID), 0},
		{"ibv_recv_wr.next", unsafe.Offsetof(recv.Next), 8},
		{"ibv_recv_wr.sg_list", unsafe.Offsetof(recv.SGList), 16},
		{"ibv_recv_wr.num_sge", unsafe.Offsetof(recv.NumSGE), 24},
		{"sizeof ibv_send_wr", unsafe.Sizeof(send), 128},
		{"alignof ibv_send_wr", unsafe.Alignof(send), 8},
		{"ibv_send_wr.wr_id", unsafe.Offsetof(send.WRID), 0},
		{"ibv_send_wr.next", unsafe.Offsetof(send.Next), 8},
		{"ibv_send_wr.sg_list", unsafe.Offsetof(send.SGList), 16},
		{"ibv_send_wr.num_sge", unsafe.Offsetof(send.NumSGE), 24},
		{"ibv_send_wr.opcode", unsafe.Offsetof(send.Opcode), 28},
		{"ibv_send_wr.send_flags", unsafe.Offsetof(send.SendFlags), 32},
		{"ibv_send_wr.imm_data", unsafe.Offsetof(send.Imm), 36},
		{"ibv_send_wr.wr", unsafe.Offsetof(send.wr), 40},
		{"ibv_send_wr.qp_type", unsafe.Offsetof(send.xrc), 72},
		{"ibv_send_wr.bind_mw", unsafe.Offsetof(send.ext), 80},
		{"sizeof ibv_wc", unsafe.Sizeof(wc), 48},
		{"ibv_wc.wr_id", unsafe.Offsetof(wc.WRID), 0},
		{"ibv_wc.status", unsafe.Offsetof(wc.Status), 8},
		{"ibv_wc.opcode", unsafe.Offsetof(wc.Opcode), 12},
		{"ibv_wc.vendor_err", unsafe.Offsetof(wc.VendorErr), 16},
		{"ibv_wc.byte_len", unsafe.Offsetof(wc.ByteLen), 20},
		{"ibv_wc.imm_data", unsafe.Offsetof(wc.Imm), 24},
		{"ibv_wc.qp_num", unsafe.Offsetof(wc.QPNum), 28},
		{"ibv_wc.src_qp", unsafe.Offsetof(wc.SrcQP), 32},
		{"ibv_wc.wc_flags", unsafe.Offsetof(wc.Flags), 36},
		{"ibv_wc.pkey_index", unsafe.Offsetof(wc.PKeyIndex), 40},
		{"ibv_wc.slid", unsafe.Offsetof(wc.SLID), 42},
		{"ibv_wc.sl", unsafe.Offsetof(wc.SL), 44},
		{"ibv_wc.dlid_path_bits", unsafe.Offsetof(wc.DLIDPathBits), 45},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.name, c.got, c.want)
		}
	}
}

// TestRDMAUnion: wr.rdma is remote_addr at 40 and rkey at 48.
func TestRDMAUnion(t *testing.T) {
	var w SendWR
	w.SetRDMA(0x1122334455667788, 0x99aabbcc)
	b := (*[128]byte)(unsafe.Pointer(&w))
	if addr := *(*uint64)(unsafe.Pointer(&b[40])); addr != 0x1122334455667788 {
		t.Errorf("remote_addr %#x", addr)
	}
	if rkey := *(*uint32)(unsafe.Pointer(&b[48])); rkey != 0x99aabbcc {
		t.Errorf("rkey %#x", rkey)
	}
	if addr, rkey := w.RDMA(); addr != 0x1122334455667788 || rkey != 0x99aabbcc {
		t.Errorf("RDMA returns %#x, %#x", addr, rkey)
	}
}

// TestMake: the memory is zeroed and large enough to the last byte.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			wrs, err := Make[SendWR](n)
			if err != nil || len(wrs) != n {
				t.Fatalf("%d requests, %v", len(wrs), err)
			}
			for i := range wrs {
				if wrs[i] != (SendWR{}) {
					t.Errorf("request %d is not zero", i)
				}
				wrs[i].WRID = 1
			}
			if err := Free(wrs); err != nil {
				t.Error(err)
			}
		})
	}
}
