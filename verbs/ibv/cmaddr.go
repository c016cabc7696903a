//go:build linux

package ibv

// #include "cmlibrary.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

type cmListener struct{ *cmConn }

const backlog = 128

// ListenCM listens at an address.
//
//	int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
//	int rdma_listen(struct rdma_cm_id *id, int backlog)
func (c *context) ListenCM(space verbs.CMSpace, addr netip.AddrPort) (verbs.CMListener, error) {
	l, err := c.newCM(space, addr)
	if err != nil {
		return nil, err
	}
	sa := sockaddr(addr)
	ret, errno := C.cm_bind_addr(l.id, unsafe.Pointer(&sa))
	if err = l.check("bind_addr", ret, errno, "is it an address of the device's network interface?"); err == nil {
		ret, errno = C.cm_listen(l.id, backlog)
		err = l.check("listen", ret, errno, "")
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return cmListener{l}, nil
}

// Port returns the listener's port.
//
//	__be16 rdma_get_src_port(struct rdma_cm_id *id)
func (l cmListener) Port() uint16 { return swapped(uint16(C.cm_get_src_port(l.id))) }

// Next waits for a request to this context's device.
//
//	int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
//	int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
func (l cmListener) Next(timeout time.Duration) (verbs.CMConn, error) {
	var news C.struct_cm_news
	C.cm_next(l.id.channel, C.int(milliseconds(timeout)), &news)
	switch {
	case syscall.Errno(news.err) == syscall.ETIMEDOUT:
		return nil, verbs.ErrTimeout
	case news.err != 0:
		return nil, cmError("get_cm_event", l.name, syscall.Errno(news.err), "")
	case news.event != cmConnectRequest:
		return nil, l.unexpected("listen", &news)
	}
	c := &cmConn{ctx: l.ctx, id: news.id, name: l.name}
	c.keep(&news)
	if ret, err := C.cm_own(c.id); ret != 0 {
		C.cm_destroy_id(c.id)
		return nil, cmError("migrate_id", l.name, err, "")
	}
	if err := c.sameDevice(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// ResolveCM finds the path to a listener.
//
//	int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
//	int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms)
//	int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
func (c *context) ResolveCM(space verbs.CMSpace, addr netip.AddrPort, tos int, timeout time.Duration) (verbs.CMConn, error) {
	conn, err := c.newCM(space, addr)
	if err != nil {
		return nil, err
	}
	if err = conn.setTOS(tos); err == nil {
		err = conn.resolve(addr, timeout)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// setTOS sets the type of service, by RDMA_OPTION_ID_TOS of RDMA_OPTION_ID, one byte.
func (c *cmConn) setTOS(tos int) error {
	const optionID, optionTOS = 0, 0
	if tos == verbs.CMDefaultTOS {
		return nil
	}
	if tos < 0 || tos > math.MaxUint8 {
		return cmError("set_option", c.name, syscall.EINVAL, fmt.Sprintf("type of service %d is not 0 to 255", tos))
	}
	value := C.uint8_t(tos)
	ret, err := C.cm_set_option(c.id, optionID, optionTOS, unsafe.Pointer(&value), 1)
	return c.check("set_option", ret, err, "type of service")
}

func (c *cmConn) resolve(addr netip.AddrPort, timeout time.Duration) error {
	sa := sockaddr(addr)
	wait := C.int(milliseconds(timeout))
	ret, err := C.cm_resolve_addr(c.id, nil, unsafe.Pointer(&sa), wait)
	if err := c.check("resolve_addr", ret, err, "the address must be reached through an RDMA device: see ip route get"); err != nil {
		return err
	}
	if err := c.await("resolve_addr", cmAddrResolved, timeout); err != nil {
		return err
	}
	if err := c.sameDevice(); err != nil {
		return err
	}
	ret, err = C.cm_resolve_route(c.id, wait)
	if err := c.check("resolve_route", ret, err, ""); err != nil {
		return err
	}
	return c.await("resolve_route", cmRouteResolved, timeout)
}

// sameDevice checks that the path goes through the device of the context.
func (c *cmConn) sameDevice() error {
	if c.id.verbs == nil {
		return cmError("resolve_addr", c.name, syscall.EADDRNOTAVAIL, "no RDMA device has the address")
	}
	if name := C.GoString(&c.id.verbs.device.name[0]); name != c.ctx.dev.name {
		return cmError("resolve_addr", c.name, syscall.EADDRNOTAVAIL, fmt.Sprintf("the path goes through %s: use -d %s", name, name))
	}
	return nil
}

// sockaddr returns a struct sockaddr_in or sockaddr_in6.
func sockaddr(addr netip.AddrPort) (sa unix.RawSockaddrInet6) {
	port := swapped(addr.Port())
	a := addr.Addr().Unmap()
	if a.Is4() {
		in := (*unix.RawSockaddrInet4)(unsafe.Pointer(&sa))
		in.Family, in.Port, in.Addr = unix.AF_INET, port, a.As4()
		return sa
	}
	sa.Family, sa.Port, sa.Addr = unix.AF_INET6, port, a.As16()
	if i, err := net.InterfaceByName(a.Zone()); err == nil {
		sa.Scope_id = uint32(i.Index)
	}
	return sa
}

// swapped converts a port or a P_Key between host and network byte order.
func swapped(port uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], port)
	return binary.NativeEndian.Uint16(b[:])
}
