package verbs

import (
	"fmt"
	"net/netip"
	"time"
)

// ConnManager is a [Context] that connects QPs by IP address, through librdmacm
// (rdma_cm(7)), on InfiniBand and RoCE. The two sides exchange their QP numbers, and the
// library finds the path between them. It does not support iWARP: there rdma_connect(3)
// itself moves the QP to RTS, and the event that [CMConn] Connect waits for does not occur.
//
//	client: ResolveCM, Connect, QP to INIT, RTR, RTS, Establish
//	server: ListenCM, Next, QP to INIT, RTR, RTS, Accept, AwaitEstablished
//
// With [CMDatagrams], Connect asks for the address of the server's QP and makes no
// connection: the server does not learn the client's address, and neither side calls
// Establish or AwaitEstablished.
//
//	client: ResolveCM, QP to INIT, RTR, RTS, Connect, Datagrams
//	server: ListenCM, Next, Accept
type ConnManager interface {
	// ListenCM listens at an address of the device, or at the unspecified address.
	// Port 0 takes a free port of the RDMA port space.
	//
	//	int rdma_listen(struct rdma_cm_id *id, int backlog)
	ListenCM(space CMSpace, addr netip.AddrPort) (CMListener, error)
	// ResolveCM finds the path to a listener, which must go through this device. tos is the
	// type of service of the packets, 0 to 255, or [CMDefaultTOS]. The server's packets
	// have the type of service of the request.
	//
	//	int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen)
	//	int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms)
	//	int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
	ResolveCM(space CMSpace, addr netip.AddrPort, tos int, timeout time.Duration) (CMConn, error)
}

// CMSpace is enum rdma_port_space: the port numbers and connections of one QP type.
type CMSpace uint32

// The port spaces.
const (
	CMConnections CMSpace = 0x0106 // RDMA_PS_TCP: RC QPs
	CMDatagrams   CMSpace = 0x0111 // RDMA_PS_UDP: UD QPs
)

// CMDefaultTOS selects the type of service that the kernel has for the device's port
// (default_roce_tos of rdma_cm in configfs), initially 0.
const CMDefaultTOS = -1

// CMListener waits for requests of clients.
type CMListener interface {
	Port() uint16 // in the RDMA port space
	// Next returns the next request, or [ErrTimeout].
	//
	//	int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)
	Next(timeout time.Duration) (CMConn, error)
	// Close stops listening. Connections that Next returned stay open.
	//
	//	int rdma_destroy_id(struct rdma_cm_id *id)
	Close() error
}

// CMConn is a connection of one QP: struct rdma_cm_id.
type CMConn interface {
	// PrivateData returns CMParam.PrivateData of the peer's Connect or Accept. Devices may
	// append zeros.
	PrivateData() []byte
	// QPAttr returns the attributes for a QP's move to state, which is INIT, RTR or RTS.
	//
	//	int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask)
	QPAttr(state QPState) (QPAttr, QPAttrMask, error)
	// Connect asks the server for a connection, or for the address of its QP, and waits until
	// the server has accepted.
	//
	//	int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
	Connect(param CMParam, timeout time.Duration) error
	// Datagrams returns the address of the server's UD QP, after Connect: struct rdma_ud_param.
	Datagrams() CMPeer
	// Establish tells the server that this side's QP is in RTS.
	//
	//	int rdma_establish(struct rdma_cm_id *id)
	Establish() error
	// Accept accepts the request. An RC QP of this side must be in RTS.
	//
	//	int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
	Accept(param CMParam) error
	// AwaitEstablished waits until the client's QP is in RTS.
	AwaitEstablished(timeout time.Duration) error
	// Close ends the connection. The QP stays open.
	//
	//	int rdma_destroy_id(struct rdma_cm_id *id)
	Close() error
}

// CMPeer is the address of a UD QP.
type CMPeer struct {
	AH          AHAttr // route to its port
	QPNum, QKey uint32
}

// CMParam is struct rdma_conn_param.
type CMParam struct {
	QPNum       uint32
	PrivateData []byte // at most 56 bytes in Connect, 196 in Accept; with CMDatagrams 180 and 136
	RdAtomic    uint8  // READs and atomics outstanding, in both directions
}

// ConnectCM moves an RC QP from RESET to RTS with the attributes that c has agreed
// on with the peer. access are the operations that the peer may execute, mtu the largest
// path MTU that both sides accept. retries nil stands for [DefaultRetries] with the
// timeout that librdmacm computes for the path.
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

// ActivateCM moves a UD QP from RESET to RTS with the port, P_Key and Q_Key of c. psn, 24
// bits, is the number of the first packet that the QP sends.
func ActivateCM(qp QP, c CMConn, psn uint32) error {
	attr, mask, err := c.QPAttr(QPInit)
	if err != nil {
		return err
	}
	path := Path{Port: int(attr.PortNum), PKeyIndex: attr.PKeyIndex}
	if mask&MaskQKey == 0 {
		return fmt.Errorf("rdma_init_qp_attr: no Q_Key: the port space is not RDMA_PS_UDP")
	}
	return Activate(qp, path, attr.QKey, psn)
}
