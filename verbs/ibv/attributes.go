//go:build linux

package ibv

// #include "library.h"
import "C"

import "github.com/ibperf/ibperf/verbs"

// QueryDevice returns the device's attributes.
//
//	int ibv_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr)
func (c *context) QueryDevice() (verbs.DeviceAttr, error) {
	if c.c == nil {
		return verbs.DeviceAttr{}, closed("query_device", c.dev.name)
	}
	var ex C.struct_abi_device_attr_ex
	ret, err := C.ib_query_device_ex(c.c, &ex)
	if err := check("query_device", c.dev.name, errnoOf(ret, err), nil); err != nil {
		return verbs.DeviceAttr{}, err
	}
	a := &ex.orig_attr
	ports := int(ex.phys_port_cnt_ex)
	if ports == 0 {
		ports = int(a.phys_port_cnt)
	}
	return verbs.DeviceAttr{
		Transport:       verbs.TransportType(int32(c.c.device.transport_type)),
		FirmwareVersion: C.GoString(&a.fw_ver[0]),
		NodeGUID:        hostOrder(a.node_guid), SysImageGUID: hostOrder(a.sys_image_guid),
		MaxMRSize: uint64(a.max_mr_size), PageSizeCap: uint64(a.page_size_cap),
		VendorID: uint32(a.vendor_id), VendorPartID: uint32(a.vendor_part_id), HWVersion: uint32(a.hw_ver),
		MaxQP: int(a.max_qp), MaxQPWR: int(a.max_qp_wr), MaxOutOfOrderRecvWR: c.maxOutOfOrderRecvWR(),
		DeviceCapFlags: verbs.DeviceCapFlags(ex.device_cap_flags_ex) | verbs.DeviceCapFlags(a.device_cap_flags),
		MaxSGE:         int(a.max_sge), MaxSGERead: int(a.max_sge_rd),
		MaxCQ: int(a.max_cq), MaxCQE: int(a.max_cqe), MaxMR: int(a.max_mr), MaxPD: int(a.max_pd), MaxMW: int(a.max_mw),
		MaxQPRdAtomic: int(a.max_qp_rd_atom), MaxQPInitRdAtom: int(a.max_qp_init_rd_atom), MaxResRdAtomic: int(a.max_res_rd_atom),
		MaxEERdAtomic: int(a.max_ee_rd_atom), MaxEEInitRdAtom: int(a.max_ee_init_rd_atom),
		AtomicCap: verbs.AtomicCap(a.atomic_cap),
		MaxEE:     int(a.max_ee), MaxRDD: int(a.max_rdd), MaxRawIPv6QP: int(a.max_raw_ipv6_qp), MaxRawEthyQP: int(a.max_raw_ethy_qp),
		MaxMcastGroups: int(a.max_mcast_grp), MaxMcastQPs: int(a.max_mcast_qp_attach), MaxTotalMcastQPs: int(a.max_total_mcast_qp_attach),
		MaxAH: int(a.max_ah), MaxFMR: int(a.max_fmr), MaxMapPerFMR: int(a.max_map_per_fmr),
		MaxSRQ: int(a.max_srq), MaxSRQWR: int(a.max_srq_wr), MaxSRQSGE: int(a.max_srq_sge),
		MaxPKeys: int(a.max_pkeys), LocalCAAckDelay: int(a.local_ca_ack_delay), PhysPortCount: ports,
		NumCompVectors: int(c.c.num_comp_vectors),
		TimestampMask:  uint64(ex.completion_timestamp_mask), CoreClockKHz: uint64(ex.hca_core_clock),
		ODP: odpCaps(&ex),
		TSO: verbs.TSOCaps{MaxTSO: uint32(ex.tso_caps.max_tso), SupportedQPTypes: uint32(ex.tso_caps.supported_qpts)},
		RSS: rssCaps(&ex.rss_caps), MaxWQTypeRQ: int(ex.max_wq_type_rq),
		Pacing: verbs.PacingCaps{
			MinKbps: uint32(ex.packet_pacing_caps.qp_rate_limit_min), MaxKbps: uint32(ex.packet_pacing_caps.qp_rate_limit_max),
			SupportedQPTypes: uint32(ex.packet_pacing_caps.supported_qpts),
		},
		RawPacketCaps: uint32(ex.raw_packet_caps), TM: tmCaps(&ex.tm_caps),
		CQModeration: verbs.CQModerationCaps{MaxCount: uint16(ex.cq_mod_caps.max_cq_count), MaxPeriodUs: uint16(ex.cq_mod_caps.max_cq_period)},
		MaxDMSize:    uint64(ex.max_dm_size),
		PCIAtomic: verbs.PCIAtomicCaps{
			FetchAdd: uint16(ex.pci_atomic_caps.fetch_add), Swap: uint16(ex.pci_atomic_caps.swap),
			CompareSwap: uint16(ex.pci_atomic_caps.compare_swap),
		},
	}, nil
}

func odpCaps(ex *C.struct_abi_device_attr_ex) verbs.ODPCaps {
	return verbs.ODPCaps{
		General: uint64(ex.odp_caps.general_caps),
		RC:      verbs.ODPTransport(ex.odp_caps.rc_odp_caps),
		UC:      verbs.ODPTransport(ex.odp_caps.uc_odp_caps),
		UD:      verbs.ODPTransport(ex.odp_caps.ud_odp_caps),
		XRC:     verbs.ODPTransport(ex.xrc_odp_caps),
	}
}

func rssCaps(c *C.struct_abi_rss_caps) verbs.RSSCaps {
	return verbs.RSSCaps{
		SupportedQPTypes:           uint32(c.supported_qpts),
		MaxRWQIndirectionTables:    uint32(c.max_rwq_indirection_tables),
		MaxRWQIndirectionTableSize: uint32(c.max_rwq_indirection_table_size),
		RxHashFieldsMask:           uint64(c.rx_hash_fields_mask),
		RxHashFunction:             uint8(c.rx_hash_function),
	}
}

func tmCaps(c *C.struct_abi_tm_caps) verbs.TMCaps {
	return verbs.TMCaps{
		MaxRendezvousHeader: uint32(c.max_rndv_hdr_size), MaxTags: uint32(c.max_num_tags),
		Flags: uint32(c.flags), MaxOps: uint32(c.max_ops), MaxSGE: uint32(c.max_sge),
	}
}
