package verbstest

import (
	"bytes"
	"encoding/binary"

	"github.com/ibperf/ibperf/verbs"
)

var udStatements = []statement{
	{"UD-1", "the message begins behind 40 bytes, which byte_len counts", behindGRH},
	{"UD-2", "the completion says that the GRH is there, and it tells the way of the message", grhIsThere},
	{"UD-3", "on RoCE v2 the GRH is the IP header of the packet", grhIsIPHeader},
	{"UD-4", "a receive of 40 bytes and others splits GRH and message", splitReceive},
	{"UD-5", "a receive tells the sender's QP, and immediate data as on RC", senderAndImm},
	{"UD-6", "the completion and the GRH make an address vector back to the sender", wayBack},
	{"UD-7", "without a GRH the way back is local; a header that leads nowhere is refused", noWayBack},
	{"UD-8", "an address handle of a completion leads to the sender", answered},
	{"UD-9", "a message with another Q_Key is dropped and counted, and the sender not told", wrongQKey},
	{"UD-10", "a Q_Key with the top bit stands for the sending QP's", sendersQKey},
	{"UD-11", "only the privileged set a Q_Key with the top bit", privilegedQKey},
	{"UD-12", "what finds no QP or no receive is lost, and nothing else", lostMessages},
	{"UD-13", "a message as long as the MTU arrives", fullMTU},
	{"UD-14", "a longer one does not, not even in part", aboveMTU},
	{"UD-15", "a receive that is too short does not complete with success", tooShortForMessage},
	{"UD-16", "address handles without a GRH, a port, a GID or a peer are refused", badHandles},
	{"UD-17", "an address handle of another domain is of no use", foreignHandle},
	{"UD-18", "an address handle uses its domain", handleUsesDomain},
	{"UD-19", "a message from memory that is not registered fails and stops the send queue", badMessage},
	{"UD-20", "one QP talks to many, and has no peer of its own", manyPeers},
	{"UD-21", "a UD QP does not answer RC", deafToRC},
}

// lane is a way for UD messages from one side to another.
type lane struct {
	*env
	a, b  *side
	ah    verbs.AH // of a, to b
	count int
}

func (e *env) lane() *lane {
	e.Helper()
	return e.laneOf(conf())
}

func (e *env) laneOf(c config) *lane {
	e.Helper()
	a, b := e.pair(c.of(verbs.QPTypeUD))
	return &lane{env: e, a: a, b: b, ah: a.handle(b)}
}

// handle makes an address handle that leads to the peer's port.
func (s *side) handle(peer *side) verbs.AH {
	s.Helper()
	attr := s.addressOf(peer)
	ah, err := s.pd.CreateAH(&attr)
	return own(s.env, ah, err)
}

// by returns the request sent along the address handle to the peer's QP.
func (r send) by(ah verbs.AH, peer *side) send {
	r.ah, r.qpn, r.qkey = ah, peer.qp.QPNum(), peer.conf.qkey
	return r
}

// room posts a receive for a message of n bytes at the start of the side's memory.
func (s *side) room(id uint64, n int) {
	s.Helper()
	s.recv(recv{id: id, sges: []verbs.SGE{s.sge(0, verbs.GRHSize+n)}})
}

// message is a signaled SEND of the first n bytes of a's memory.
func (l *lane) message(id uint64, n int) send {
	return send{id: id, op: opSend, flags: signaled, sges: []verbs.SGE{l.a.sge(0, n)}}.by(l.ah, l.b)
}

// marker is an empty message that is known by its immediate data.
func (l *lane) marker(id uint64) send {
	return send{id: id, op: opSendImm, flags: signaled, imm: imm}.by(l.ah, l.b)
}

// post posts a request, which completes with success whatever becomes of it.
func (l *lane) post(w send) {
	l.Helper()
	l.a.post(w)
	l.a.sendCQ.gives(w.id, verbs.WCSuccess)
}

// carries sends n bytes, finds them behind the GRH and returns the completion.
func (l *lane) carries(n int) verbs.WC {
	l.Helper()
	l.count++
	fill(l.a.mem[:n], l.count)
	area := l.b.mem[:verbs.GRHSize+n+64]
	clear(area)
	l.b.room(uint64(l.count), n)
	l.post(l.message(uint64(l.count), n))
	wc := l.b.recvCQ.gives(uint64(l.count), verbs.WCSuccess)
	if !bytes.Equal(area[verbs.GRHSize:][:n], l.a.mem[:n]) || touched(area[verbs.GRHSize+n:]) {
		l.Fatalf("a message of %d bytes did not arrive as sent", n)
	}
	return wc
}

// arrives posts a request without immediate data and tells whether its message
// arrives: a marker that follows it comes first if not.
func (l *lane) arrives(w send) bool {
	l.Helper()
	const room = 256
	l.b.room(1, room)
	l.b.room(2, room)
	l.post(w)
	l.post(l.marker(8))
	came := l.b.recvCQ.gives(1, verbs.WCSuccess).Flags&verbs.WCWithImm == 0
	if !came {
		l.post(l.marker(9))
	}
	if l.b.recvCQ.gives(2, verbs.WCSuccess).Flags&verbs.WCWithImm == 0 {
		l.Error("the message arrived behind one that was sent later")
	}
	return came
}

// header is what the GRH of a RoCE v2 message tells.
type header struct {
	version             int
	next, hop, class    uint8
	source, destination verbs.GID
}

// headerIn reads the GRH: an IPv6 header, or an IPv4 header in the last 20 bytes.
func headerIn(grh []byte) header {
	if grh[0]>>4 != 6 {
		v4 := grh[20:verbs.GRHSize]
		return header{int(v4[0] >> 4), v4[9], v4[8], v4[1], mapped(v4[12:16]), mapped(v4[16:20])}
	}
	first := binary.BigEndian.Uint32(grh)
	return header{6, grh[6], grh[7], uint8(first >> 20), verbs.GID(grh[8:24]), verbs.GID(grh[24:40])}
}

// mapped is an IPv4 address as a GID.
func mapped(v4 []byte) verbs.GID {
	g := verbs.GID{10: 0xff, 11: 0xff}
	copy(g[12:], v4)
	return g
}

func isMapped(g verbs.GID) bool { return g == mapped(g[12:]) }
