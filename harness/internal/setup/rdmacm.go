package setup

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

const (
	cmTimeout  = 15 * time.Second       // for one QP
	cmInterval = 100 * time.Millisecond // wait between two checks of the halt flag
)

// privateSize is the size of the private data of a request: the token and the index of the QP.
const privateSize = 12

// connectCM takes all QPs to RTS through rdma_cm. The client connects to the address of the control
// connection.
func (r *Resources) connectCM(mine, theirs []oob.Endpoint) error {
	device := r.cfg.Context.Device().Name()
	manager, ok := r.cfg.Context.(verbs.ConnManager)
	if !ok {
		return Mismatchf("device %s has no rdma_cm: leave -R out", device)
	}
	if err := checkEndpoints(mine, theirs); err != nil {
		return err
	}
	for i, conn := range r.conns() {
		conn.Local, conn.Peer = mine[i], theirs[i]
	}
	connect := r.connectAsServer
	switch {
	case r.Set.Datagrams():
		connect = r.resolveAll
	case r.cfg.Role == testcase.Client:
		connect = r.connectAsClient
	}
	if err := connect(manager); err != nil {
		return err
	}
	return r.readPath()
}

// connectAsServer accepts the connections of all QPs.
func (r *Resources) connectAsServer(manager verbs.ConnManager) error {
	l, here, err := r.listenCM(manager, verbs.CMConnections)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := r.peer.Rendezvous(here); err != nil {
		return err
	}
	for range r.conns() {
		if err := r.acceptOne(l, here.Token); err != nil {
			return err
		}
	}
	return nil
}

// listenCM listens for requests of the peer, which contain the token.
func (r *Resources) listenCM(manager verbs.ConnManager, space verbs.CMSpace) (verbs.CMListener, oob.Rendezvous, error) {
	any := netip.IPv6Unspecified()
	if r.cfg.PeerIP.Unmap().Is4() {
		any = netip.IPv4Unspecified()
	}
	l, err := manager.ListenCM(space, netip.AddrPortFrom(any, 0))
	if err != nil {
		return nil, oob.Rendezvous{}, &DeviceError{err}
	}
	var secret [8]byte
	rand.Read(secret[:])
	return l, oob.Rendezvous{Port: l.Port(), Token: binary.BigEndian.Uint64(secret[:])}, nil
}

// nextRequest returns the next request of the peer, and the connection that it is for.
func (r *Resources) nextRequest(l verbs.CMListener, token uint64) (verbs.CMConn, *Conn, error) {
	conns := r.conns()
	for {
		c, err := await(r, "a connection", l.Next)
		if err != nil {
			return nil, nil, err
		}
		data := c.PrivateData()
		if len(data) < privateSize || binary.BigEndian.Uint64(data) != token {
			c.Close() // not from the peer
			continue
		}
		index := binary.BigEndian.Uint32(data[8:])
		if index >= uint32(len(conns)) {
			c.Close()
			return nil, nil, fmt.Errorf("the peer requests QP %d of %d, which does not exist", index, len(conns))
		}
		return c, conns[index], nil
	}
}

// acceptOne accepts the next request of the peer and connects its QP.
func (r *Resources) acceptOne(l verbs.CMListener, token uint64) error {
	c, conn, err := r.nextRequest(l, token)
	if err != nil {
		return err
	}
	if conn.cm != nil {
		c.Close()
		return fmt.Errorf("the peer requests QP %d, which is connected already", conn.Index)
	}
	conn.cm = c
	if err := conn.toRTS(); err != nil {
		return err
	}
	if err := c.Accept(verbs.CMParam{QPNum: conn.QP.QPNum(), RdAtomic: conn.rdAtomic()}); err != nil {
		return &DeviceError{err}
	}
	_, err = await(r, "the peer's QP", func(timeout time.Duration) (struct{}, error) {
		return struct{}{}, c.AwaitEstablished(timeout)
	})
	return err
}

// await calls wait until it succeeds, in slices so that a halt ends it.
func await[T any](r *Resources, what string, wait func(time.Duration) (T, error)) (T, error) {
	for deadline := time.Now().Add(cmTimeout); ; {
		v, err := wait(cmInterval)
		switch {
		case err == nil:
			return v, nil
		case !errors.Is(err, verbs.ErrTimeout):
			return v, &DeviceError{err}
		case r.halt.On():
			return v, r.halt.Reason()
		case time.Now().After(deadline):
			return v, &DeviceError{fmt.Errorf("rdma_cm: waited %v for %s: does the network pass RDMA in both directions?", cmTimeout, what)}
		}
	}
}

// connectAsClient connects all QPs, one after another.
func (r *Resources) connectAsClient(manager verbs.ConnManager) error {
	there, err := r.peer.Rendezvous(oob.Rendezvous{})
	if err != nil {
		return err
	}
	for i, conn := range r.conns() {
		if err := r.request(manager, verbs.CMConnections, conn, i, there); err != nil {
			return err
		}
		if err := conn.toRTS(); err != nil {
			return err
		}
		if err := conn.cm.Establish(); err != nil {
			return &DeviceError{err}
		}
	}
	return nil
}

// request sends a request for the QP with the index to the peer, and waits for the answer.
func (r *Resources) request(manager verbs.ConnManager, space verbs.CMSpace, conn *Conn, index int, there oob.Rendezvous) (err error) {
	if r.halt.On() {
		return r.halt.Reason()
	}
	addr := netip.AddrPortFrom(r.cfg.PeerIP, there.Port)
	if conn.cm, err = manager.ResolveCM(space, addr, r.typeOfService(), cmTimeout); err != nil {
		return &DeviceError{err}
	}
	private := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, there.Token), uint32(index))
	param := verbs.CMParam{QPNum: conn.QP.QPNum(), PrivateData: private, RdAtomic: conn.rdAtomic()}
	if err := conn.cm.Connect(param, cmTimeout); err != nil {
		return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", index+1, len(r.conns()), err)}
	}
	return nil
}

// rdAtomic returns the largest number of outstanding READs of the connection.
func (c *Conn) rdAtomic() uint8 { return min(c.Local.RdAtomic, c.Peer.RdAtomic) }

// toRTS takes the QP to RTS with the parameters that rdma_cm has agreed on with the peer.
func (c *Conn) toRTS() error {
	mtu := min(c.Local.MTU, c.Peer.MTU)
	if err := verbs.ConnectCM(c.QP, c.cm, c.Resources.Set.Access(), c.rdAtomic(), mtu, c.Resources.cmRetries()); err != nil {
		return &DeviceError{err}
	}
	return nil
}

// cmRetries returns nil for the defaults, so that librdmacm uses those of the path.
func (r *Resources) cmRetries() *verbs.Retries {
	all := r.retries()
	if *all == verbs.DefaultRetries() {
		return nil
	}
	return all
}

// readPath records the GID that rdma_cm has chosen, and how its path differs from the options.
func (r *Resources) readPath() error {
	path := r.conns()[0].cm.Datagrams().AH
	if !r.Set.Datagrams() {
		attr, _, err := r.conns()[0].QP.Query(verbs.MaskAV)
		if err != nil {
			return &DeviceError{err}
		}
		path = attr.AH
	}
	r.OtherPath = r.differences(&path)
	if !path.IsGlobal {
		return nil
	}
	index := int(path.GRH.SGIDIndex)
	var err error
	if r.GID, err = r.cfg.Context.QueryGID(r.cfg.Port, index); err != nil {
		return &DeviceError{err}
	}
	r.GID.Index = index
	return nil
}
