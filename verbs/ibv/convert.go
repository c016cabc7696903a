//go:build linux

package ibv

// #include "abi.h"
import "C"

import (
	"unsafe"

	"github.com/ibperf/ibperf/verbs"
)

func fromCap(c verbs.QPCap) C.struct_abi_qp_cap {
	return C.struct_abi_qp_cap{
		max_send_wr: C.uint32_t(c.MaxSendWR), max_recv_wr: C.uint32_t(c.MaxRecvWR),
		max_send_sge: C.uint32_t(c.MaxSendSGE), max_recv_sge: C.uint32_t(c.MaxRecvSGE),
		max_inline_data: C.uint32_t(c.MaxInlineData),
	}
}

func toCap(c C.struct_abi_qp_cap) verbs.QPCap {
	return verbs.QPCap{
		MaxSendWR: int(c.max_send_wr), MaxRecvWR: int(c.max_recv_wr),
		MaxSendSGE: int(c.max_send_sge), MaxRecvSGE: int(c.max_recv_sge),
		MaxInlineData: int(c.max_inline_data),
	}
}

func bit(b bool) C.uint8_t {
	if b {
		return 1
	}
	return 0
}

func fromAHAttr(a *verbs.AHAttr) C.struct_abi_ah_attr {
	g := &a.GRH
	return C.struct_abi_ah_attr{
		grh: C.struct_abi_global_route{
			dgid: C.union_abi_gid(g.DGID), flow_label: C.uint32_t(g.FlowLabel), sgid_index: C.uint8_t(g.SGIDIndex),
			hop_limit: C.uint8_t(g.HopLimit), traffic_class: C.uint8_t(g.TrafficClass),
		},
		dlid: C.uint16_t(a.DLID), sl: C.uint8_t(a.SL), src_path_bits: C.uint8_t(a.SrcPathBits),
		static_rate: C.uint8_t(a.StaticRate), is_global: bit(a.IsGlobal), port_num: C.uint8_t(a.PortNum),
	}
}

func toAHAttr(a *C.struct_abi_ah_attr) verbs.AHAttr {
	return verbs.AHAttr{
		GRH: verbs.GlobalRoute{
			DGID: verbs.GID(a.grh.dgid), FlowLabel: uint32(a.grh.flow_label), SGIDIndex: uint8(a.grh.sgid_index),
			HopLimit: uint8(a.grh.hop_limit), TrafficClass: uint8(a.grh.traffic_class),
		},
		DLID: uint16(a.dlid), SL: uint8(a.sl), SrcPathBits: uint8(a.src_path_bits),
		StaticRate: uint8(a.static_rate), IsGlobal: a.is_global != 0, PortNum: uint8(a.port_num),
	}
}

func fromQPAttr(a *verbs.QPAttr) C.struct_abi_qp_attr {
	return C.struct_abi_qp_attr{
		qp_state: C.uint32_t(a.State), cur_qp_state: C.uint32_t(a.CurState), path_mtu: C.uint32_t(a.PathMTU),
		qkey: C.uint32_t(a.QKey), rq_psn: C.uint32_t(a.RQPSN), sq_psn: C.uint32_t(a.SQPSN),
		dest_qp_num: C.uint32_t(a.DestQPNum), qp_access_flags: C.uint32_t(a.AccessFlags),
		path_mig_state: C.uint32_t(a.PathMigState),
		cap:            fromCap(a.Cap), ah_attr: fromAHAttr(&a.AH), pkey_index: C.uint16_t(a.PKeyIndex),
		alt_ah_attr: fromAHAttr(&a.AltAH), alt_pkey_index: C.uint16_t(a.AltPKeyIndex),
		alt_port_num: C.uint8_t(a.AltPortNum), alt_timeout: C.uint8_t(a.AltTimeout),
		en_sqd_async_notify: bit(a.EnSQDNotify), sq_draining: bit(a.SQDraining),
		max_rd_atomic: C.uint8_t(a.MaxRdAtomic), max_dest_rd_atomic: C.uint8_t(a.MaxDestRdAtomic),
		min_rnr_timer: C.uint8_t(a.MinRNRTimer), port_num: C.uint8_t(a.PortNum), timeout: C.uint8_t(a.Timeout),
		retry_cnt: C.uint8_t(a.RetryCnt), rnr_retry: C.uint8_t(a.RNRRetry),
	}
}

func toQPAttr(a *C.struct_abi_qp_attr) verbs.QPAttr {
	return verbs.QPAttr{
		State: verbs.QPState(a.qp_state), CurState: verbs.QPState(a.cur_qp_state), PathMTU: verbs.MTU(a.path_mtu),
		QKey: uint32(a.qkey), RQPSN: uint32(a.rq_psn), SQPSN: uint32(a.sq_psn),
		DestQPNum: uint32(a.dest_qp_num), AccessFlags: verbs.Access(a.qp_access_flags),
		PathMigState: verbs.MigState(a.path_mig_state),
		Cap:          toCap(a.cap), AH: toAHAttr(&a.ah_attr), PKeyIndex: uint16(a.pkey_index),
		AltAH: toAHAttr(&a.alt_ah_attr), AltPKeyIndex: uint16(a.alt_pkey_index),
		AltPortNum: uint8(a.alt_port_num), AltTimeout: uint8(a.alt_timeout),
		EnSQDNotify: a.en_sqd_async_notify != 0, SQDraining: a.sq_draining != 0,
		MaxRdAtomic: uint8(a.max_rd_atomic), MaxDestRdAtomic: uint8(a.max_dest_rd_atomic),
		MinRNRTimer: uint8(a.min_rnr_timer), PortNum: uint8(a.port_num), Timeout: uint8(a.timeout),
		RetryCnt: uint8(a.retry_cnt), RNRRetry: uint8(a.rnr_retry),
	}
}

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
