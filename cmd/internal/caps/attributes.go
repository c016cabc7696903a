package caps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// Group is a list of attributes with a title. In JSON it is an object in the order of the list.
type Group struct {
	Title      string
	Attributes []Attribute
}

// Attribute is a named value. Names are those of libibverbs' structs.
type Attribute struct {
	Name  string
	Value any
	Unit  string // may be empty
}

// MarshalJSON writes the name and value of each attribute.
func (g Group) MarshalJSON() ([]byte, error) {
	return object(g.Attributes, func(a Attribute) (string, any) { return a.Name, a.Value })
}

// Groups holds all attributes of a device. In JSON it is an object too.
type Groups []Group

// MarshalJSON writes each group under its title.
func (g Groups) MarshalJSON() ([]byte, error) {
	key := strings.NewReplacer(" ", "_", "-", "_")
	return object(g, func(g Group) (string, any) { return key.Replace(g.Title), g })
}

// object returns a JSON object with its members in order.
func object[T any](members []T, of func(T) (key string, value any)) ([]byte, error) {
	var b bytes.Buffer
	for i, m := range members {
		key, value := of(m)
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", key, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", key, text)
	}
	return []byte("{" + b.String() + "}"), nil
}

func deviceGroups(a *verbs.DeviceAttr) Groups {
	return Groups{identity(a), queues(a), memory(a), reads(a), addresses(a), paging(&a.ODP), offloads(a), others(a)}
}

func identity(a *verbs.DeviceAttr) Group {
	return Group{"identity", []Attribute{
		{"transport", a.Transport.String(), ""},
		{"fw_ver", a.FirmwareVersion, ""},
		{"node_guid", guid(a.NodeGUID), ""},
		{"sys_image_guid", guid(a.SysImageGUID), ""},
		{"vendor_id", hex(a.VendorID), ""},
		{"vendor_part_id", a.VendorPartID, ""},
		{"hw_ver", hex(a.HWVersion), ""},
		{"phys_port_cnt", a.PhysPortCount, ""},
		{"device_cap_flags", hex(uint32(a.DeviceCapFlags)), a.DeviceCapFlags.String()},
		{"device_cap_flags_ex", hex(uint64(a.DeviceCapFlags)), ""},
	}}
}

func queues(a *verbs.DeviceAttr) Group {
	return Group{"queues", []Attribute{
		{"max_qp", a.MaxQP, ""},
		{"max_qp_wr", a.MaxQPWR, "work requests"},
		{"max_ooo_recv_wr", a.MaxOutOfOrderRecvWR, "receives of a QP with out-of-order placement (mlx5dv_query_device: ooo_recv_wrs_caps.max_rc)"},
		{"max_sge", a.MaxSGE, ""},
		{"max_sge_rd", a.MaxSGERead, ""},
		{"max_cq", a.MaxCQ, ""},
		{"max_cqe", a.MaxCQE, "completions"},
		{"num_comp_vectors", a.NumCompVectors, ""},
		{"max_srq", a.MaxSRQ, ""},
		{"max_srq_wr", a.MaxSRQWR, "work requests"},
		{"max_srq_sge", a.MaxSRQSGE, ""},
		{"local_ca_ack_delay", a.LocalCAAckDelay, "(exponent of 4.096 usec)"},
	}}
}

func memory(a *verbs.DeviceAttr) Group {
	return Group{"memory", []Attribute{
		{"max_pd", a.MaxPD, ""},
		{"max_mr", a.MaxMR, ""},
		{"max_mw", a.MaxMW, ""},
		{"max_mr_size", a.MaxMRSize, "bytes"},
		{"page_size_cap", hex(a.PageSizeCap), "(mask of bytes)"},
		{"max_dm_size", a.MaxDMSize, "bytes of device memory"},
	}}
}

func reads(a *verbs.DeviceAttr) Group {
	return Group{"reads and atomics", []Attribute{
		{"max_qp_rd_atom", a.MaxQPRdAtomic, "at a responder QP"},
		{"max_qp_init_rd_atom", a.MaxQPInitRdAtom, "at a requester QP"},
		{"max_res_rd_atom", a.MaxResRdAtomic, "at the device"},
		{"atomic_cap", a.AtomicCap.String(), ""},
		{"pci_atomic_fetch_add", hex(uint32(a.PCIAtomic.FetchAdd)), "(mask of operand bytes)"},
		{"pci_atomic_swap", hex(uint32(a.PCIAtomic.Swap)), "(mask of operand bytes)"},
		{"pci_atomic_compare_swap", hex(uint32(a.PCIAtomic.CompareSwap)), "(mask of operand bytes)"},
	}}
}

func addresses(a *verbs.DeviceAttr) Group {
	return Group{"addresses", []Attribute{
		{"max_ah", a.MaxAH, ""},
		{"max_pkeys", a.MaxPKeys, ""},
		{"max_mcast_grp", a.MaxMcastGroups, ""},
		{"max_mcast_qp_attach", a.MaxMcastQPs, "QPs of a group"},
		{"max_total_mcast_qp_attach", a.MaxTotalMcastQPs, ""},
	}}
}

func paging(c *verbs.ODPCaps) Group {
	general := "not supported"
	if c.Supported() {
		general = "supported"
		if c.General&2 != 0 {
			general += ", implicit too"
		}
	}
	return Group{"on-demand paging", []Attribute{
		{"general_odp_caps", general, ""},
		{"rc_odp_caps", c.RC.String(), ""},
		{"uc_odp_caps", c.UC.String(), ""},
		{"ud_odp_caps", c.UD.String(), ""},
		{"xrc_odp_caps", c.XRC.String(), ""},
	}}
}

func offloads(a *verbs.DeviceAttr) Group {
	return Group{"offloads", []Attribute{
		{"max_tso", a.TSO.MaxTSO, "bytes"},
		{"max_rwq_indirection_tables", a.RSS.MaxRWQIndirectionTables, ""},
		{"max_rwq_indirection_table_size", a.RSS.MaxRWQIndirectionTableSize, ""},
		{"rx_hash_function", hex(uint32(a.RSS.RxHashFunction)), ""},
		{"rx_hash_fields_mask", hex(a.RSS.RxHashFieldsMask), ""},
		{"max_wq_type_rq", a.MaxWQTypeRQ, ""},
		{"qp_rate_limit_min", a.Pacing.MinKbps, "kb/s"},
		{"qp_rate_limit_max", a.Pacing.MaxKbps, "kb/s"},
		{"raw_packet_caps", hex(a.RawPacketCaps), ""},
		{"max_rndv_hdr_size", a.TM.MaxRendezvousHeader, "bytes, of tag matching"},
		{"max_num_tags", a.TM.MaxTags, ""},
		{"max_ops", a.TM.MaxOps, "of tag matching"},
		{"tm_max_sge", a.TM.MaxSGE, ""},
		{"tm_flags", hex(a.TM.Flags), ""},
		{"max_cq_count", a.CQModeration.MaxCount, "completions, of CQ moderation"},
		{"max_cq_period", a.CQModeration.MaxPeriodUs, "usec, of CQ moderation"},
		{"completion_timestamp_mask", hex(a.TimestampMask), "(0x0: not supported)"},
		{"hca_core_clock", a.CoreClockKHz, "kHz (0: not supported)"},
	}}
}

// others returns limits of features that few devices have.
func others(a *verbs.DeviceAttr) Group {
	return Group{"others", []Attribute{
		{"max_ee_rd_atom", a.MaxEERdAtomic, ""},
		{"max_ee_init_rd_atom", a.MaxEEInitRdAtom, ""},
		{"max_ee", a.MaxEE, ""},
		{"max_rdd", a.MaxRDD, ""},
		{"max_raw_ipv6_qp", a.MaxRawIPv6QP, ""},
		{"max_raw_ethy_qp", a.MaxRawEthyQP, ""},
		{"max_fmr", a.MaxFMR, ""},
		{"max_map_per_fmr", a.MaxMapPerFMR, ""},
	}}
}

func portGroup(a *verbs.PortAttr) Group {
	return Group{"", []Attribute{
		{"state", a.State.String(), ""},
		{"phys_state", a.PhysState, meaning(physStates, a.PhysState)},
		{"link_layer", a.LinkLayer.String(), ""},
		{"max_mtu", a.MaxMTU.Bytes(), "bytes"},
		{"active_mtu", a.ActiveMTU.Bytes(), "bytes"},
		{"max_msg_sz", a.MaxMsgSize, "bytes"},
		{"active_width", a.ActiveWidth, meaning(widths, a.ActiveWidth)},
		{"active_speed", a.ActiveSpeed, meaning(speeds, a.ActiveSpeed)},
		{"lid", a.LID, ""},
		{"sm_lid", a.SMLID, ""},
		{"lmc", a.LMC, ""},
		{"sm_sl", a.SMSL, ""},
		{"port_cap_flags", hex(a.CapFlags), ""},
		{"port_cap_flags2", hex(uint32(a.CapFlags2)), ""},
		{"max_vl_num", a.MaxVLNum, meaning(dataVLs, a.MaxVLNum)},
		{"bad_pkey_cntr", a.BadPKeyCntr, ""},
		{"qkey_viol_cntr", a.QKeyViolCntr, ""},
		{"subnet_timeout", a.SubnetTimeout, ""},
		{"init_type_reply", a.InitTypeReply, ""},
		{"grh_required", a.GRHRequired, ""},
		{"gid_tbl_len", a.GIDTableLen, "entries"},
		{"pkey_tbl_len", a.PKeyTblLen, "entries"},
	}}
}
