//go:build linux

package ibv

/*
#cgo noescape ib_query_port_ex
#cgo noescape ib_query_gid_ex
#cgo noescape ib_query_gid_table
#cgo noescape ib_query_pkey
#include "library.h"
*/
import "C"

import (
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// QueryPort returns the attributes of a port.
//
//	int ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr)
func (c *context) QueryPort(port int) (verbs.PortAttr, error) {
	if port < 1 || port > 255 {
		return verbs.PortAttr{}, opError("query_port", c.dev.name, syscall.EINVAL, "ports are numbered from 1")
	}
	object := fmt.Sprintf("%s port %d", c.dev.name, port)
	if c.c == nil {
		return verbs.PortAttr{}, closed("query_port", object)
	}
	var a C.struct_abi_port_attr
	ret, err := C.ib_query_port_ex(c.c, C.uint8_t(port), &a)
	if err := check("query_port", object, errnoOf(ret, err), nil); err != nil {
		return verbs.PortAttr{}, err
	}
	return verbs.PortAttr{
		State: verbs.PortState(a.state), MaxMTU: verbs.MTU(a.max_mtu), ActiveMTU: verbs.MTU(a.active_mtu),
		GIDTableLen: int(a.gid_tbl_len), PKeyTblLen: int(a.pkey_tbl_len), MaxMsgSize: uint32(a.max_msg_sz),
		CapFlags: uint32(a.port_cap_flags), CapFlags2: uint16(a.port_cap_flags2),
		BadPKeyCntr: uint32(a.bad_pkey_cntr), QKeyViolCntr: uint32(a.qkey_viol_cntr),
		LID: uint16(a.lid), SMLID: uint16(a.sm_lid), LMC: uint8(a.lmc), MaxVLNum: uint8(a.max_vl_num), SMSL: uint8(a.sm_sl),
		SubnetTimeout: uint8(a.subnet_timeout), InitTypeReply: uint8(a.init_type_reply),
		LinkLayer: verbs.LinkLayer(a.link_layer), ActiveWidth: uint8(a.active_width), ActiveSpeed: activeSpeed(&a),
		PhysState: uint8(a.phys_state), GRHRequired: a.flags&1 != 0,
	}, nil
}

// activeSpeed returns the code of the speed. Codes from XDR on are in active_speed_ex alone;
// active_speed then has a lower one (ibv_query_port(3)).
func activeSpeed(a *C.struct_abi_port_attr) uint32 {
	if a.active_speed_ex != 0 {
		return uint32(a.active_speed_ex)
	}
	return uint32(a.active_speed)
}

// QueryGID returns a GID table entry.
//
//	int ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags)
func (c *context) QueryGID(port, index int) (verbs.GIDEntry, error) {
	object := fmt.Sprintf("%s port %d index %d", c.dev.name, port, index)
	if port < 1 || index < 0 {
		return verbs.GIDEntry{}, opError("query_gid", object, syscall.EINVAL, "")
	}
	if c.c == nil {
		return verbs.GIDEntry{}, closed("query_gid", object)
	}
	var e C.struct_abi_gid_entry
	ret, err := C.ib_query_gid_ex(c.c, C.uint32_t(port), C.uint32_t(index), &e)
	if err := check("query_gid", object, errnoOf(ret, err), nil); err != nil {
		return verbs.GIDEntry{}, err
	}
	return toGIDEntry(&e), nil
}

func toGIDEntry(e *C.struct_abi_gid_entry) verbs.GIDEntry {
	return verbs.GIDEntry{
		GID: verbs.GID(e.gid), Index: int(e.gid_index), Port: int(e.port_num),
		Type: verbs.GIDType(e.gid_type), IfIndex: int(e.ndev_ifindex),
	}
}

// QueryGIDTable returns the non-empty entries of all ports.
//
//	ssize_t ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries, uint32_t flags)
func (c *context) QueryGIDTable(max int) ([]verbs.GIDEntry, error) {
	object := fmt.Sprintf("%s, at most %d entries", c.dev.name, max)
	if max < 1 {
		return nil, opError("query_gid_table", object, syscall.EINVAL, "max must be at least 1")
	}
	if c.c == nil {
		return nil, closed("query_gid_table", object)
	}
	table := make([]C.struct_abi_gid_entry, max)
	n, err := C.ib_query_gid_table(c.c, &table[0], C.size_t(max))
	if n < 0 {
		return nil, opError("query_gid_table", object, errnoOf(C.int(n), err), "the table may have more entries")
	}
	out := make([]verbs.GIDEntry, n)
	for i := range out {
		out[i] = toGIDEntry(&table[i])
	}
	return out, nil
}

// QueryPKey returns an entry of a port's P_Key table.
//
//	int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
func (c *context) QueryPKey(port, index int) (uint16, error) {
	object := fmt.Sprintf("%s port %d index %d", c.dev.name, port, index)
	if port < 1 || port > 255 || index < 0 {
		return 0, opError("query_pkey", object, syscall.EINVAL, "")
	}
	if c.c == nil {
		return 0, closed("query_pkey", object)
	}
	var pkey C.uint16_t
	ret, err := C.ib_query_pkey(c.c, C.uint8_t(port), C.int(index), &pkey)
	return swapped(uint16(pkey)), check("query_pkey", object, errnoOf(ret, err), func() string {
		return "the port does not exist, or its table is shorter"
	})
}

// PKeyIndex returns the index of a P_Key in a port's table.
//
//	int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
func (c *context) PKeyIndex(port int, pkey uint16) (int, error) {
	object := fmt.Sprintf("%s port %d P_Key %#x", c.dev.name, port, pkey)
	if port < 1 || port > 255 {
		return 0, opError("get_pkey_index", object, syscall.EINVAL, "ports are numbered from 1")
	}
	if c.c == nil {
		return 0, closed("get_pkey_index", object)
	}
	index, err := C.ib_get_pkey_index(c.c, C.uint8_t(port), C.uint16_t(swapped(pkey)))
	if index < 0 {
		return 0, opError("get_pkey_index", object, errnoOf(index, err), "the P_Key is not in the port's table")
	}
	return int(index), nil
}
