package verbs

import (
	"fmt"
	"net/netip"
	"time"
)

// ConnManager is a [Context] that connects QPs by IP address, through librdmacm
// (rdma_cm(7)), on InfiniBand and RoCE. The two sides agree on the QPs, and the library
// on the path between them. iWARP cannot be connected: there rdma_connect(3) itself moves
// the QP to RTS and [CMConn] Connect would wait for an event that does not come.
//
//	active: ResolveCM, Connect, QP to INIT, RTR, RTS, Establish
//	passive: ListenCM, Next, QP to INIT, RTR, RTS, Accept, AwaitEstablished
//
// Of [CMDatagrams] Connect asks for the address of the listener's QP, and there is no connection
// afterwards: the listener learns nothing of who asks, and nobody waits to be established.
//
//	active: ResolveCM, QP to INIT, RTR, RTS, Connect, Datagrams
//	passive: ListenCM, Next, Accept
type ConnManager interface {
	// ListenCM listens at an address of the device, or at the unspecified address;
	// port 0 takes a free one of the RDMA port space.
	//
	//	int rdma_listen(struct rdma_cm_id *id, int backlog)
	ListenCM(space CMSpace, addr netip.AddrPort) (CMListener, error)
	// ResolveCM finds the path to a listener, which must go through this device. tos is the
	// type of service of the packets, 0 to 255, or [CMDefaultTOS]; the passive side's packets
	// have that of the request.
	//
	//	int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
	//	int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms)
	//	int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
	ResolveCM(space CMSpace, addr netip.AddrPort, tos int, timeout time.Duration) (CMConn, error)
}

// CMSpace is a port space, each of which has ports of its own and QPs of one type: enum
// rdma_port_space.
type CMSpace uint32

// The port spaces.
const (
	CMConnections CMSpace = 0x0106 // RDMA_PS_TCP: QPs of RC
	CMDatagrams   CMSpace = 0x0111 // RDMA_PS_UDP: QPs of UD
)

// CMDefaultTOS is the type of service that the kernel has for the device's port
// (default_roce_tos of its rdma_cm in configfs), 0 if nobody has set it.
const CMDefaultTOS = -1

// CMListener waits for connections.
type CMListener interface {
	Port() uint16 // in the RDMA port space
	// Next returns the next request for a connection, or [ErrTimeout].
	//
	//	int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)
	Next(timeout time.Duration) (CMConn, error)
	// Close stops listening; connections that it returned live on.
	//
	//	int rdma_destroy_id(struct rdma_cm_id *id)
	Close() error
}

// CMConn is a connection of one QP: struct rdma_cm_id.
type CMConn interface {
	// PrivateData is what the peer's Connect or Accept gave; devices may append zeroes.
	PrivateData() []byte
	// QPAttr returns the attributes that take a QP to state, which is INIT, RTR or RTS.
	//
	//	int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask)
	QPAttr(state QPState) (QPAttr, QPAttrMask, error)
	// Connect asks the listener for a connection, or the address of its QP, and waits until it
	// has accepted.
	//
	//	int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
	Connect(param CMParam, timeout time.Duration) error
	// Datagrams is where the listener's QP of UD is, once Connect has asked: struct rdma_ud_param.
	Datagrams() CMPeer
	// Establish tells the listener that this side's QP is in RTS.
	//
	//	int rdma_establish(struct rdma_cm_id *id)
	Establish() error
	// Accept accepts the request; this side's QP must be in RTS, but one of UD.
	//
	//	int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
	Accept(param CMParam) error
	// AwaitEstablished waits until the active side's QP is in RTS.
	AwaitEstablished(timeout time.Duration) error
	// Close ends the connection, and not the QP.
	//
	//	int rdma_destroy_id(struct rdma_cm_id *id)
	Close() error
}

// CMPeer is where messages to a QP of UD go.
type CMPeer struct {
	AH          AHAttr // of an address handle to its port
	QPNum, QKey uint32
}

// CMParam is struct rdma_conn_param.
type CMParam struct {
	QPNum       uint32
	PrivateData []byte // at most 56 bytes in Connect, 196 in Accept; of datagrams 180 and 136
	RdAtomic    uint8  // READs and atomics outstanding, in both directions
}

// ConnectCM takes an RC QP in RESET to RTS with the attributes that c has agreed
// on with the peer. access is what the peer may do, mtu the largest that both sides
// want. With nil for retries they are [DefaultRetries], but for the timeout, which
// librdmacm takes from what it knows of the path.
func ConnectCM(qp QP, c CMConn, access Access, rdAtomic uint8, mtu MTU, retries *Retries) error {
	use := DefaultRetries()
	if retries != nil {
		use = *retries
	}
	if err := use.check(); err != nil {
		return err
	}
	for _, state := range []QPState{QPInit, QPRTR, QPRTS} {
		attr, mask, err := c.QPAttr(state)
		if err != nil {
			return err
		}
		attr.State, attr.AccessFlags = state, access
		attr.PathMTU = min(attr.PathMTU, mtu)
		attr.MaxRdAtomic, attr.MaxDestRdAtomic = rdAtomic, rdAtomic
		attr.RetryCnt, attr.RNRRetry, attr.MinRNRTimer = use.RetryCnt, use.RNRRetry, use.MinRNRTimer
		if retries != nil {
			attr.Timeout = use.Timeout
		}
		if err := qp.Modify(&attr, mask); err != nil {
			return err
		}
	}
	return nil
}

// ActivateCM takes a UD QP in RESET to RTS with the port, P_Key and Q_Key that c has; psn, 24 bits, is of
// the first packet that it sends.
func ActivateCM(qp QP, c CMConn, psn uint32) error {
	attr, mask, err := c.QPAttr(QPInit)
	if err != nil {
		return err
	}
	path := Path{Port: int(attr.PortNum), PKeyIndex: attr.PKeyIndex}
	if mask&MaskQKey == 0 {
		return fmt.Errorf("rdma_cm names no Q_Key: the port space is not that of datagrams")
	}
	return Activate(qp, path, attr.QKey, psn)
}
