package verbstest

import (
	"crypto/rand"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// newGroup returns the GID of an unused group, of the address family of the target's GID: IPv4 in
// 239.0.0.0/8, or IPv6 with a random group.
func (e *env) newGroup() verbs.GID {
	e.Helper()
	if isMapped(e.gid(e.open())) {
		return newIPv4Group()
	}
	g := verbs.GID{0xff, 0x15}
	rand.Read(g[8:])
	return g
}

func newIPv4Group() verbs.GID {
	var id [3]byte
	rand.Read(id[:])
	return mapped([]byte{239, id[0], id[1], id[2]})
}

// attach attaches the side's QP until the end of the statement.
func (s *side) attach(gid verbs.GID) {
	s.Helper()
	qp := s.QP
	s.ok(qp.AttachMcast(gid, 0))
	s.Cleanup(func() {
		if !s.closed[qp] {
			qp.DetachMcast(gid, 0) // fails if the statement has detached it
		}
	})
}

// network returns the index of the network interface of the target's GID, or 0.
func (e *env) network() int {
	e.Helper()
	entry, err := e.open().QueryGID(e.target.Port, e.target.GIDIndex)
	e.ok(err)
	return entry.IfIndex
}

// join makes the network interface of the target's GID, if it has one, join the
// group: soft RoCE gets no packet of a group that IP has not joined.
func (e *env) join(gid verbs.GID) {
	e.Helper()
	index := e.network()
	if index == 0 {
		return
	}
	family := unix.AF_INET6
	if isMapped(gid) {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM, 0)
	e.ok(err)
	unix.CloseOnExec(fd)
	e.Cleanup(func() { unix.Close(fd) })
	if isMapped(gid) {
		e.ok(unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP,
			&unix.IPMreqn{Multiaddr: [4]byte(gid[12:]), Ifindex: int32(index)}))
		return
	}
	e.ok(unix.SetsockoptIPv6Mreq(fd, unix.IPPROTO_IPV6, unix.IPV6_JOIN_GROUP,
		&unix.IPv6Mreq{Multiaddr: gid, Interface: uint32(index)}))
}

// receivers is a multicast group with its members, and a sender that is not a member.
type receivers struct {
	*env
	gid     verbs.GID
	from    *side
	ah      verbs.AH
	members []*side
	sent    uint64
}

// receivers makes a joined group with n members in RTS, each in an opened device of its own.
func (e *env) receivers(n int) *receivers {
	e.Helper()
	c := e.receiversAt(e.newGroup(), n)
	e.join(c.gid)
	return c
}

func (e *env) receiversAt(gid verbs.GID, n int) *receivers {
	e.Helper()
	from := e.member()
	from.Enter(verbs.QPRTS, from)
	c := &receivers{env: e, gid: gid, from: from, ah: from.handleOf(gid)}
	for range n {
		s := e.member()
		s.Enter(verbs.QPRTS, s)
		s.attach(gid)
		c.members = append(c.members, s)
	}
	return c
}

// handleOf makes an address handle of the group.
func (s *side) handleOf(gid verbs.GID) verbs.AH {
	s.Helper()
	attr := s.AddressOf(s)
	attr.GRH.DGID = gid
	ah, err := s.PD.CreateAH(&attr)
	return own(s.env, ah, err)
}

// groupQPN is the destination QP number of messages to groups.
const groupQPN = 0xffffff

// send sends a message to the group. Its 4 bytes of immediate data and its 8 bytes of data are
// the message's number.
func (c *receivers) send() (number byte) {
	c.Helper()
	c.sent++
	number = byte(c.sent)
	c.from.Post(c.message())
	c.from.SendCQ.Expect(c.sent, verbs.WCSuccess)
	return number
}

func (c *receivers) message() send {
	number := byte(c.sent)
	for i := range 8 {
		c.from.Mem[i] = number
	}
	return send{
		ID: c.sent, Op: opSendImm, Flags: signaled, Imm: [4]byte{3: number}, SGEs: []verbs.SGE{c.from.SGE(0, 8)},
		AH: c.ah, QPN: groupQPN, QKey: c.from.Config.QKey,
	}
}

// gets waits for the message with the number.
func (c *receivers) gets(s *side, number byte) verbs.WC {
	c.Helper()
	wc := s.RecvCQ.Expect(uint64(number), verbs.WCSuccess)
	at := int(number) * 100
	want := [8]byte{number, number, number, number, number, number, number, number}
	if wc.Imm != [4]byte{3: number} || wc.SrcQP != c.from.QP.QPNum() || wc.QPNum != s.QP.QPNum() {
		c.Errorf("message %d: %+v", number, wc)
	}
	c.holds(s.Mem[at+verbs.GRHSize:][:8], string(want[:]))
	return wc
}

// awaits posts the receive for the message with the number.
func (s *side) awaits(number byte) {
	s.Helper()
	s.PostRecv(recv{ID: uint64(number), SGEs: []verbs.SGE{s.SGE(int(number)*100, verbs.GRHSize+8)}})
}

// reaches sends two messages, which each of the sides must receive once.
func (c *receivers) reaches(sides ...*side) {
	c.Helper()
	for _, s := range sides {
		s.awaits(byte(c.sent + 1))
		s.awaits(byte(c.sent + 2))
	}
	first, second := c.send(), c.send()
	for _, s := range sides {
		c.gets(s, first)
		c.gets(s, second)
	}
}

// missing sends a message, which the side must not receive.
func (c *receivers) missing(s *side) {
	c.Helper()
	s.awaits(byte(c.sent + 1))
	c.send()
	s.RecvCQ.StaysEmpty()
	s.Enter(verbs.QPRTS, s)
	s.RecvCQ.Discard()
}
