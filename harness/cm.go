package harness

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/verbs"
)

const (
	cmTimeout = 15 * time.Second       // for one QP
	cmSlice   = 100 * time.Millisecond // of waiting between two looks at the halt word
)

// privateSize is what travels with a request: the token and the number of the QP.
const privateSize = 12

// connectCM takes all QPs to RTS through rdma_cm: the client goes to the address
// that its control connection has reached.
func (s *session) connectCM(mine, theirs []oob.Endpoint) error {
	device := s.cfg.Context.Device().Name()
	manager, ok := s.cfg.Context.(verbs.ConnManager)
	if !ok {
		return &DeviceError{fmt.Errorf("device %s has no rdma_cm: leave -R out", device)}
	}
	if err := checkEndpoints(mine, theirs); err != nil {
		return err
	}
	for i, lane := range s.rig.lanes() {
		lane.own, lane.peer = mine[i], theirs[i]
	}
	connect := s.passive
	switch {
	case s.rig.datagrams():
		connect = s.introduce
	case s.cfg.Role == Client:
		connect = s.active
	}
	if err := connect(manager); err != nil {
		return err
	}
	return s.rig.learnPath()
}

// passive waits for the connections of all QPs.
func (s *session) passive(manager verbs.ConnManager) error {
	l, here, err := s.listenCM(manager, verbs.CMConnections)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := s.peer.Rendezvous(here); err != nil {
		return err
	}
	for range s.rig.lanes() {
		if err := s.acceptOne(l, here.Token); err != nil {
			return err
		}
	}
	return nil
}

// listenCM listens for requests of the peer, which have the token.
func (s *session) listenCM(manager verbs.ConnManager, space verbs.CMSpace) (verbs.CMListener, oob.Rendezvous, error) {
	any := netip.IPv6Unspecified()
	if s.cfg.PeerIP.Unmap().Is4() {
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

// requestOf returns the next request of the peer, and which QP it is for.
func (s *session) requestOf(l verbs.CMListener, token uint64) (verbs.CMConn, *lane, error) {
	lanes := s.rig.lanes()
	for {
		c, err := await(s, "a connection", l.Next)
		if err != nil {
			return nil, nil, err
		}
		data := c.PrivateData()
		if len(data) < privateSize || binary.BigEndian.Uint64(data) != token {
			c.Close() // a stranger
			continue
		}
		index := binary.BigEndian.Uint32(data[8:])
		if index >= uint32(len(lanes)) {
			c.Close()
			return nil, nil, fmt.Errorf("the peer connects QP %d of %d, which does not exist", index, len(lanes))
		}
		return c, lanes[index], nil
	}
}

// acceptOne connects the QP that the next request of the peer is for.
func (s *session) acceptOne(l verbs.CMListener, token uint64) error {
	c, lane, err := s.requestOf(l, token)
	if err != nil {
		return err
	}
	if lane.cm != nil {
		c.Close()
		return fmt.Errorf("the peer connects QP %d, which is connected", lane.index)
	}
	lane.cm = c
	if err := lane.toRTS(); err != nil {
		return err
	}
	if err := c.Accept(verbs.CMParam{QPNum: lane.qp.QPNum(), RdAtomic: lane.rdAtomic()}); err != nil {
		return &DeviceError{err}
	}
	_, err = await(s, "the peer's QP", func(timeout time.Duration) (struct{}, error) {
		return struct{}{}, c.AwaitEstablished(timeout)
	})
	return err
}

// await waits in slices, so that a halt ends it.
func await[T any](s *session, what string, wait func(time.Duration) (T, error)) (T, error) {
	for deadline := time.Now().Add(cmTimeout); ; {
		v, err := wait(cmSlice)
		switch {
		case err == nil:
			return v, nil
		case !errors.Is(err, verbs.ErrTimeout):
			return v, &DeviceError{err}
		case s.halt.on():
			return v, s.halt.reason()
		case time.Now().After(deadline):
			return v, &DeviceError{fmt.Errorf("rdma_cm: waited %v for %s: does the network let RDMA pass both ways?", cmTimeout, what)}
		}
	}
}

// active connects all QPs, one after another.
func (s *session) active(manager verbs.ConnManager) error {
	there, err := s.peer.Rendezvous(oob.Rendezvous{})
	if err != nil {
		return err
	}
	for i, lane := range s.rig.lanes() {
		if err := s.ask(manager, verbs.CMConnections, lane, i, there); err != nil {
			return err
		}
		if err := lane.toRTS(); err != nil {
			return err
		}
		if err := lane.cm.Establish(); err != nil {
			return &DeviceError{err}
		}
	}
	return nil
}

// ask makes a request of the peer for the QP with the index, and waits for the answer.
func (s *session) ask(manager verbs.ConnManager, space verbs.CMSpace, lane *lane, index int, there oob.Rendezvous) (err error) {
	if s.halt.on() {
		return s.halt.reason()
	}
	addr := netip.AddrPortFrom(s.cfg.PeerIP, there.Port)
	if lane.cm, err = manager.ResolveCM(space, addr, s.rig.typeOfService(), cmTimeout); err != nil {
		return &DeviceError{err}
	}
	private := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, there.Token), uint32(index))
	param := verbs.CMParam{QPNum: lane.qp.QPNum(), PrivateData: private, RdAtomic: lane.rdAtomic()}
	if err := lane.cm.Connect(param, cmTimeout); err != nil {
		return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", index+1, len(s.rig.lanes()), err)}
	}
	return nil
}

// rdAtomic is how many READs are outstanding on the lane, at most.
func (l *lane) rdAtomic() uint8 { return min(l.own.RdAtomic, l.peer.RdAtomic) }

// toRTS moves the lane's QP as rdma_cm has agreed with the peer.
func (l *lane) toRTS() error {
	mtu := min(l.own.MTU, l.peer.MTU)
	if err := verbs.ConnectCM(l.qp, l.cm, rights(l.worker.rig.plan), l.rdAtomic(), mtu, l.worker.rig.cmRetries()); err != nil {
		return &DeviceError{err}
	}
	return nil
}

// cmRetries is nil where nothing was asked for: librdmacm knows the path.
func (r *rig) cmRetries() *verbs.Retries {
	all := r.retries()
	if *all == verbs.DefaultRetries() {
		return nil
	}
	return all
}

// learnPath notes the GID that rdma_cm has chosen, and what is not as it was asked for.
func (r *rig) learnPath() error {
	path := r.lanes()[0].cm.Datagrams().AH
	if !r.datagrams() {
		attr, _, err := r.lanes()[0].qp.Query(verbs.MaskAV)
		if err != nil {
			return &DeviceError{err}
		}
		path = attr.AH
	}
	r.otherPath = r.unlike(&path)
	if !path.IsGlobal {
		return nil
	}
	index := int(path.GRH.SGIDIndex)
	var err error
	if r.gid, err = r.cfg.Context.QueryGID(r.cfg.Port, index); err != nil {
		return &DeviceError{err}
	}
	r.gid.Index = index
	return nil
}
