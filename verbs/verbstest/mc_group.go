package verbstest

import (
	"crypto/rand"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// newGroup returns the GID of a group that nobody else uses, of the family of
// the target's GID: IPv4 in 239.0.0.0/8, or IPv6 with a random group.
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
	qp := s.qp
	s.ok(qp.AttachMcast(gid, 0))
	s.Cleanup(func() {
		if !s.closed[qp] {
			qp.DetachMcast(gid, 0) // an error if the statement has done so
		}
	})
}

// network returns the index of the network interface of the target's GID, 0 if
// there is none.
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

// crowd is a group with a sender, which is not in it, and members.
type crowd struct {
	*env
	gid     verbs.GID
	from    *side
	ah      verbs.AH
	members []*side
	sent    uint64
}

// crowd makes a joined group with n members, each in a context of its own, and all in RTS.
func (e *env) crowd(n int) *crowd {
	e.Helper()
	c := e.crowdAt(e.newGroup(), n)
	e.join(c.gid)
	return c
}

func (e *env) crowdAt(gid verbs.GID, n int) *crowd {
	e.Helper()
	from := e.member()
	from.enter(verbs.QPRTS, from)
	c := &crowd{env: e, gid: gid, from: from, ah: from.handleOf(gid)}
	for range n {
		s := e.member()
		s.enter(verbs.QPRTS, s)
		s.attach(gid)
		c.members = append(c.members, s)
	}
	return c
}

// handleOf makes an address handle that leads to the group.
func (s *side) handleOf(gid verbs.GID) verbs.AH {
	s.Helper()
	attr := s.addressOf(s)
	attr.GRH.DGID = gid
	ah, err := s.pd.CreateAH(&attr)
	return own(s.env, ah, err)
}

// groupQPN is the QP number that messages to groups are sent to.
const groupQPN = 0xffffff

// send sends the group a message whose 4 bytes of immediate data and whose 8
// bytes are its number.
func (c *crowd) send() (number byte) {
	c.Helper()
	c.sent++
	number = byte(c.sent)
	c.from.post(c.message())
	c.from.sendCQ.gives(c.sent, verbs.WCSuccess)
	return number
}

func (c *crowd) message() send {
	number := byte(c.sent)
	for i := range 8 {
		c.from.mem[i] = number
	}
	return send{
		id: c.sent, op: opSendImm, flags: signaled, imm: [4]byte{3: number}, sges: []verbs.SGE{c.from.sge(0, 8)},
		ah: c.ah, qpn: groupQPN, qkey: c.from.conf.qkey,
	}
}

// gets waits for the message with the number.
func (c *crowd) gets(s *side, number byte) verbs.WC {
	c.Helper()
	wc := s.recvCQ.gives(uint64(number), verbs.WCSuccess)
	at := int(number) * 100
	want := [8]byte{number, number, number, number, number, number, number, number}
	if wc.Imm != [4]byte{3: number} || wc.SrcQP != c.from.qp.QPNum() || wc.QPNum != s.qp.QPNum() {
		c.Errorf("message %d: %+v", number, wc)
	}
	c.holds(s.mem[at+verbs.GRHSize:][:8], string(want[:]))
	return wc
}

// awaits posts the receive for the message with the number.
func (s *side) awaits(number byte) {
	s.Helper()
	s.recv(recv{id: uint64(number), sges: []verbs.SGE{s.sge(int(number)*100, verbs.GRHSize+8)}})
}

// reaches sends two messages, which come to each of the sides once.
func (c *crowd) reaches(sides ...*side) {
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

// missing sends a message, which does not come to the side.
func (c *crowd) missing(s *side) {
	c.Helper()
	s.awaits(byte(c.sent + 1))
	c.send()
	s.recvCQ.staysEmpty()
	s.reconnect(s)
	s.recvCQ.discard()
}
