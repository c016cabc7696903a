//go:build linux

package ibv

/*
#cgo noescape ib_query_device_ex
#cgo noescape ib_query_port_ex
#cgo noescape ib_query_gid_ex
#include "library.h"
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ibperf/ibperf/internal/ccall"
	"github.com/ibperf/ibperf/verbs"
)

// context is an opened device.
type context struct {
	dev *device
	c   *C.struct_abi_context

	events  events
	stacks  *ccall.Stacks
	mu      sync.Mutex
	objects map[unsafe.Pointer]any // QPs and CQs by their C twins, which events name
}

func newContext(d *device, c *C.struct_abi_context) (*context, error) {
	out := &context{dev: d, c: c, objects: map[unsafe.Pointer]any{}}
	err := out.events.open(c.async_fd)
	if err == nil {
		out.stacks, err = ccall.New()
	}
	if err != nil {
		C.ib_close_device(c)
		return nil, opError("open_device", d.name, err, "it opens, but cannot be worked with")
	}
	return out, nil
}

func (c *context) Device() verbs.Device { return c.dev }

// hold makes an object known to events; drop ends that.
func (c *context) hold(twin unsafe.Pointer, object any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[twin] = object
}

func (c *context) drop(twin unsafe.Pointer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, twin)
}

func (c *context) find(twin unsafe.Pointer) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[twin]
}

// QueryPort returns the attributes of a port.
//
//	int ibv_query_port(struct ibv_context *context, uint8_t port_num, struct ibv_port_attr *port_attr)
func (c *context) QueryPort(port int) (verbs.PortAttr, error) {
	if port < 1 || port > 255 {
		return verbs.PortAttr{}, opError("query_port", c.dev.name, syscall.EINVAL, "ports are numbered from 1")
	}
	var a C.struct_abi_port_attr
	ret := C.ib_query_port_ex(c.c, C.uint8_t(port), &a)
	if ret != 0 {
		return verbs.PortAttr{}, check("query_port", fmt.Sprintf("%s port %d", c.dev.name, port), ret, nil)
	}
	return verbs.PortAttr{
		State: verbs.PortState(a.state), MaxMTU: verbs.MTU(a.max_mtu), ActiveMTU: verbs.MTU(a.active_mtu),
		GIDTableLen: int(a.gid_tbl_len), PKeyTblLen: int(a.pkey_tbl_len), MaxMsgSize: uint32(a.max_msg_sz),
		CapFlags: uint32(a.port_cap_flags), CapFlags2: uint16(a.port_cap_flags2),
		BadPKeyCntr: uint32(a.bad_pkey_cntr), QKeyViolCntr: uint32(a.qkey_viol_cntr),
		LID: uint16(a.lid), SMLID: uint16(a.sm_lid), LMC: uint8(a.lmc), MaxVLNum: uint8(a.max_vl_num), SMSL: uint8(a.sm_sl),
		SubnetTimeout: uint8(a.subnet_timeout), InitTypeReply: uint8(a.init_type_reply),
		LinkLayer: verbs.LinkLayer(a.link_layer), ActiveWidth: uint8(a.active_width), ActiveSpeed: uint32(a.active_speed),
		PhysState: uint8(a.phys_state), GRHRequired: a.flags&1 != 0,
	}, nil
}

// QueryGID returns a GID table entry.
//
//	int ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index, struct ibv_gid_entry *entry, uint32_t flags)
func (c *context) QueryGID(port, index int) (verbs.GIDEntry, error) {
	object := fmt.Sprintf("%s port %d index %d", c.dev.name, port, index)
	if port < 1 || index < 0 {
		return verbs.GIDEntry{}, opError("query_gid", object, syscall.EINVAL, "")
	}
	var e C.struct_abi_gid_entry
	if ret := C.ib_query_gid_ex(c.c, C.uint32_t(port), C.uint32_t(index), &e); ret != 0 {
		return verbs.GIDEntry{}, check("query_gid", object, ret, nil)
	}
	return verbs.GIDEntry{
		GID: e.gid, Index: int(e.gid_index), Port: int(e.port_num),
		Type: verbs.GIDType(e.gid_type), IfIndex: int(e.ndev_ifindex),
	}, nil
}

// AllocPD allocates a protection domain.
//
//	struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
func (c *context) AllocPD() (verbs.PD, error) {
	p, err := C.ib_alloc_pd(c.c)
	if p == nil {
		return nil, opError("alloc_pd", c.dev.name, err, "")
	}
	return &pd{ctx: c, c: p}, nil
}

// Close closes the device.
//
//	int ibv_close_device(struct ibv_context *context)
func (c *context) Close() error {
	if c.c == nil {
		return nil
	}
	c.events.file.Close()
	c.stacks.Close()
	ret, err := C.ib_close_device(c.c)
	c.c = nil
	if ret != 0 {
		return opError("close_device", c.dev.name, err, "")
	}
	return nil
}

// hostOrder turns a GUID, which libibverbs keeps in network order, into a number.
func hostOrder(v C.uint64_t) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], uint64(v))
	return binary.BigEndian.Uint64(b[:])
}
