//go:build linux

package ibv

/*
#cgo nocallback cm_load
#cgo noescape cm_next
#cgo noescape cm_connect_with
#cgo noescape cm_accept_with
#cgo noescape cm_init_qp_attr
#include "cmlibrary.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// loadCM opens librdmacm, once.
var loadCM = sync.OnceValue(func() error {
	if problem := C.cm_load(); problem != nil {
		return errors.New(C.GoString(problem))
	}
	return nil
})

// The events of enum rdma_cm_event_type that await waits for.
const (
	cmAddrResolved    = 0
	cmRouteResolved   = 2
	cmConnectRequest  = 4
	cmConnectResponse = 5
	cmRejected        = 8
	cmEstablished     = 9
)

// cmConn is an rdma_cm identifier with an event channel of its own.
type cmConn struct {
	ctx  *context
	id   *C.struct_abi_cm_id
	name string // of the address, for errors
	data []byte // private data of the peer
	to   verbs.CMPeer
}

// newCM makes an identifier.
//
//	int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
func (c *context) newCM(space verbs.CMSpace, addr netip.AddrPort) (*cmConn, error) {
	if c.c == nil {
		return nil, cmError("create_id", c.dev.name, verbs.ErrClosed, "the context is closed")
	}
	if err := loadCM(); err != nil {
		return nil, cmError("create_id", c.dev.name, verbs.ErrNotSupported, err.Error())
	}
	id, err := C.cm_new(C.uint32_t(space))
	if id == nil {
		return nil, cmError("create_id", c.dev.name, err, "is the kernel module rdma_ucm loaded, and /dev/infiniband/rdma_cm open to this user?")
	}
	return &cmConn{ctx: c, id: id, name: fmt.Sprintf("%s to %s", c.dev.name, addr)}, nil
}

// cmError returns the error of a call of librdmacm.
func cmError(call, object string, err error, detail string) error {
	return opError("rdma_"+call, object, err, detail)
}

func (c *cmConn) check(call string, ret C.int, err error, detail string) error {
	if ret == 0 {
		return nil
	}
	return cmError(call, c.name, err, detail)
}

// await waits for an event. Any other event is an error.
func (c *cmConn) await(call string, want uint32, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	var news C.struct_cm_news
	for {
		C.cm_next(c.id.channel, C.int(milliseconds(time.Until(deadline))), &news)
		if syscall.Errno(news.err) != syscall.ETIMEDOUT || time.Now().After(deadline) {
			break
		}
	}
	switch {
	case syscall.Errno(news.err) == syscall.ETIMEDOUT:
		return fmt.Errorf("%s %s: no answer within %v: %w", call, c.name, timeout, verbs.ErrTimeout)
	case news.err != 0:
		return cmError("get_cm_event", c.name, syscall.Errno(news.err), "")
	case uint32(news.event) != want:
		return c.unexpected(call, &news)
	}
	c.keep(&news)
	return nil
}

func (c *cmConn) keep(news *C.struct_cm_news) {
	c.data = make([]byte, int(news.private_data_len))
	for i := range c.data {
		c.data[i] = byte(news.private_data[i])
	}
	c.to = verbs.CMPeer{AH: toAHAttr(&news.ah_attr), QPNum: uint32(news.qp_num), QKey: uint32(news.qkey)}
}

// unexpected returns the error for an event. The event's status is a negative errno, or the
// reason of a rejection.
func (c *cmConn) unexpected(call string, news *C.struct_cm_news) error {
	what := C.GoString(C.cm_event_str(news.event))
	if news.event == cmRejected {
		return cmError(call, c.name, syscall.ECONNREFUSED, fmt.Sprintf("%s, reason %d: does the server run with -R?", what, news.status))
	}
	errno := syscall.ECONNABORTED
	if news.status < 0 {
		errno = syscall.Errno(-news.status)
	}
	return cmError(call, c.name, errno, what)
}

// PrivateData returns the peer's private data.
func (c *cmConn) PrivateData() []byte { return c.data }

// QPAttr returns the attributes for a QP's move to a state.
//
//	int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask)
func (c *cmConn) QPAttr(state verbs.QPState) (verbs.QPAttr, verbs.QPAttrMask, error) {
	a := C.struct_abi_qp_attr{qp_state: C.uint32_t(state)}
	var mask C.int
	ret, err := C.cm_init_qp_attr(c.id, &a, &mask)
	if err := c.check("init_qp_attr", ret, err, state.String()); err != nil {
		return verbs.QPAttr{}, 0, err
	}
	return toQPAttr(&a), verbs.QPAttrMask(mask), nil
}

// agreed returns the parameters that both sides exchange. Its retry counts are for the
// messages of librdmacm; verbs.ConnectCM sets those of the QPs.
func agreed(p verbs.CMParam) (C.struct_agreed, error) {
	usual := verbs.DefaultRetries()
	a := C.struct_agreed{
		qp_num: C.uint32_t(p.QPNum), rd_atomic: C.uint8_t(p.RdAtomic),
		retry_count: C.uint8_t(usual.RetryCnt), rnr_retry_count: C.uint8_t(usual.RNRRetry),
	}
	if len(p.PrivateData) > len(a.private_data) {
		return a, syscall.EINVAL
	}
	a.private_data_len = C.uint8_t(len(p.PrivateData))
	for i, b := range p.PrivateData {
		a.private_data[i] = C.uint8_t(b)
	}
	return a, nil
}

// Datagrams returns the address of the peer's UD QP.
func (c *cmConn) Datagrams() verbs.CMPeer { return c.to }

// Connect asks for the connection and waits until the server accepts.
//
//	int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
func (c *cmConn) Connect(param verbs.CMParam, timeout time.Duration) error {
	a, err := agreed(param)
	if err != nil {
		return cmError("connect", c.name, err, "too much private data")
	}
	ret, err := C.cm_connect_with(c.id, &a)
	if err := c.check("connect", ret, err, ""); err != nil {
		return err
	}
	answer := uint32(cmConnectResponse)
	if verbs.CMSpace(c.id.ps) == verbs.CMDatagrams {
		answer = cmEstablished
	}
	return c.await("connect", answer, timeout)
}

// Establish tells the server that this side's QP is in RTS.
//
//	int rdma_establish(struct rdma_cm_id *id)
func (c *cmConn) Establish() error {
	ret, err := C.cm_establish(c.id)
	return c.check("establish", ret, err, "")
}

// Accept accepts the request.
//
//	int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
func (c *cmConn) Accept(param verbs.CMParam) error {
	a, err := agreed(param)
	if err != nil {
		return cmError("accept", c.name, err, "too much private data")
	}
	ret, err := C.cm_accept_with(c.id, &a)
	return c.check("accept", ret, err, "")
}

// AwaitEstablished waits until the client's QP is in RTS.
func (c *cmConn) AwaitEstablished(timeout time.Duration) error {
	return c.await("accept", cmEstablished, timeout)
}

// Close destroys the identifier, which ends the connection.
//
//	int rdma_destroy_id(struct rdma_cm_id *id)
func (c *cmConn) Close() error {
	if c.id == nil {
		return nil
	}
	ret, err := C.cm_free(c.id)
	c.id = nil
	return c.check("destroy_id", ret, err, "")
}
