//go:build linux

package ibv

// #include "abi.h"
import "C"

import (
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

// Requests and completions are passed to libibverbs without conversion. Each line below is
// an index out of range, which does not compile, unless both layouts agree. The tests of
// package verbs check the unexported members.
var (
	sge  C.struct_abi_sge
	send C.struct_abi_send_wr
	recv C.struct_abi_recv_wr
	wc   C.struct_abi_wc

	same [1]struct{}

	_ = same[unsafe.Sizeof(sge)-unsafe.Sizeof(verbs.SGE{})]
	_ = same[unsafe.Offsetof(sge.length)-unsafe.Offsetof(verbs.SGE{}.Length)]
	_ = same[unsafe.Offsetof(sge.lkey)-unsafe.Offsetof(verbs.SGE{}.LKey)]

	_ = same[unsafe.Sizeof(send)-unsafe.Sizeof(verbs.SendWR{})]
	_ = same[unsafe.Offsetof(send.next)-unsafe.Offsetof(verbs.SendWR{}.Next)]
	_ = same[unsafe.Offsetof(send.sg_list)-unsafe.Offsetof(verbs.SendWR{}.SGList)]
	_ = same[unsafe.Offsetof(send.num_sge)-unsafe.Offsetof(verbs.SendWR{}.NumSGE)]
	_ = same[unsafe.Offsetof(send.opcode)-unsafe.Offsetof(verbs.SendWR{}.Opcode)]
	_ = same[unsafe.Offsetof(send.send_flags)-unsafe.Offsetof(verbs.SendWR{}.SendFlags)]
	_ = same[unsafe.Offsetof(send.imm_data)-unsafe.Offsetof(verbs.SendWR{}.Imm)]

	_ = same[unsafe.Sizeof(recv)-unsafe.Sizeof(verbs.RecvWR{})]
	_ = same[unsafe.Offsetof(recv.next)-unsafe.Offsetof(verbs.RecvWR{}.Next)]
	_ = same[unsafe.Offsetof(recv.sg_list)-unsafe.Offsetof(verbs.RecvWR{}.SGList)]
	_ = same[unsafe.Offsetof(recv.num_sge)-unsafe.Offsetof(verbs.RecvWR{}.NumSGE)]

	_ = same[unsafe.Sizeof(wc)-unsafe.Sizeof(verbs.WC{})]
	_ = same[unsafe.Offsetof(wc.status)-unsafe.Offsetof(verbs.WC{}.Status)]
	_ = same[unsafe.Offsetof(wc.opcode)-unsafe.Offsetof(verbs.WC{}.Opcode)]
	_ = same[unsafe.Offsetof(wc.vendor_err)-unsafe.Offsetof(verbs.WC{}.VendorErr)]
	_ = same[unsafe.Offsetof(wc.byte_len)-unsafe.Offsetof(verbs.WC{}.ByteLen)]
	_ = same[unsafe.Offsetof(wc.imm_data)-unsafe.Offsetof(verbs.WC{}.Imm)]
	_ = same[unsafe.Offsetof(wc.qp_num)-unsafe.Offsetof(verbs.WC{}.QPNum)]
	_ = same[unsafe.Offsetof(wc.src_qp)-unsafe.Offsetof(verbs.WC{}.SrcQP)]
	_ = same[unsafe.Offsetof(wc.wc_flags)-unsafe.Offsetof(verbs.WC{}.Flags)]
	_ = same[unsafe.Offsetof(wc.pkey_index)-unsafe.Offsetof(verbs.WC{}.PKeyIndex)]
	_ = same[unsafe.Offsetof(wc.slid)-unsafe.Offsetof(verbs.WC{}.SLID)]
	_ = same[unsafe.Offsetof(wc.sl)-unsafe.Offsetof(verbs.WC{}.SL)]
	_ = same[unsafe.Offsetof(wc.dlid_path_bits)-unsafe.Offsetof(verbs.WC{}.DLIDPathBits)]
)
