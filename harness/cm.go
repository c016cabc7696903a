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
	if s.cfg.Role == Client {
		connect = s.active
	}
	if err := connect(manager); err != nil {
		return err
	}
	return s.rig.learnPath()
}

// passive waits for the connections of all QPs.
func (s *session) passive(manager verbs.ConnManager) error {
	any := netip.IPv6Unspecified()
	if s.cfg.PeerIP.Unmap().Is4() {
		any = netip.IPv4Unspecified()
	}
	l, err := manager.ListenCM(netip.AddrPortFrom(any, 0))
	if err != nil {
		return &DeviceError{err}
	}
	defer l.Close()
	var secret [8]byte
	rand.Read(secret[:])
	here := oob.Rendezvous{Port: l.Port(), Token: binary.BigEndian.Uint64(secret[:])}
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

// acceptOne connects the QP that the next request of the peer is for.
func (s *session) acceptOne(l verbs.CMListener, token uint64) error {
	var c verbs.CMConn
	var index uint32
	for c == nil {
		next, err := await(s, "a connection", l.Next)
		if err != nil {
			return err
		}
		data := next.PrivateData()
		if len(data) < privateSize || binary.BigEndian.Uint64(data) != token {
			next.Close() // a stranger
			continue
		}
		c, index = next, binary.BigEndian.Uint32(data[8:])
	}
	lanes := s.rig.lanes()
	if index >= uint32(len(lanes)) || lanes[index].cm != nil {
		c.Close()
		return fmt.Errorf("the peer connects QP %d of %d, which is connected or does not exist", index, len(lanes))
	}
	lane := lanes[index]
	lane.cm = c
	if err := lane.toRTS(); err != nil {
		return err
	}
	if err := c.Accept(verbs.CMParam{QPNum: lane.qp.QPNum(), RdAtomic: lane.rdAtomic()}); err != nil {
		return &DeviceError{err}
	}
	_, err := await(s, "the peer's QP", func(timeout time.Duration) (struct{}, error) {
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
	addr := netip.AddrPortFrom(s.cfg.PeerIP, there.Port)
	for i, lane := range s.rig.lanes() {
		if s.halt.on() {
			return s.halt.reason()
		}
		if lane.cm, err = manager.ResolveCM(addr, s.cfg.Plan.TOS, cmTimeout); err != nil {
			return &DeviceError{err}
		}
		private := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, there.Token), uint32(i))
		param := verbs.CMParam{QPNum: lane.qp.QPNum(), PrivateData: private, RdAtomic: lane.rdAtomic()}
		if err := lane.cm.Connect(param, cmTimeout); err != nil {
			return &DeviceError{fmt.Errorf("connect QP %d of %d: %w", i+1, len(s.rig.lanes()), err)}
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

// learnPath notes the GID that rdma_cm has chosen.
func (r *rig) learnPath() error {
	attr, _, err := r.lanes()[0].qp.Query(verbs.MaskAV)
	if err != nil {
		return &DeviceError{err}
	}
	if !attr.AH.IsGlobal {
		return nil
	}
	index := int(attr.AH.GRH.SGIDIndex)
	if r.gid, err = r.cfg.Context.QueryGID(r.cfg.Port, index); err != nil {
		return &DeviceError{err}
	}
	r.gid.Index = index
	return nil
}
