package verbstest

import (
	"bytes"
	"encoding/binary"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

var udStatements = []statement{
	{"UD-1", "the message begins behind 40 bytes, which byte_len counts", behindGRH},
	{"UD-2", "the completion has the flag for the GRH, which has the addresses of the message", grhIsThere},
	{"UD-3", "on RoCE v2 the GRH is the IP header of the packet", grhIsIPHeader},
	{"UD-4", "a receive of 40 bytes and others splits GRH and message", splitReceive},
	{"UD-5", "a receive's completion has the sender's QP, and immediate data as on RC", senderAndImm},
	{"UD-6", "the completion and the GRH make an address vector of the sender", replyHandle},
	{"UD-7", "without a GRH the sender's address is local; a header without a valid address is refused", noReplyHandle},
	{"UD-8", "an address handle of a completion leads to the sender", answered},
	{"UD-9", "a message with another Q_Key is dropped and counted, and the sender is not notified", wrongQKey},
	{"UD-10", "a Q_Key with the top bit stands for the sending QP's", sendersQKey},
	{"UD-11", "only the privileged set a Q_Key with the top bit", privilegedQKey},
	{"UD-12", "a message without a QP or a receive is lost, and no other", lostMessages},
	{"UD-13", "a message as long as the MTU arrives", fullMTU},
	{"UD-14", "a message longer than the MTU does not arrive, not even in part", aboveMTU},
	{"UD-15", "a receive that is too short does not complete with success", tooShortForMessage},
	{"UD-16", "address handles without a GRH, a port, a GID or a peer are refused", badHandles},
	{"UD-17", "an address handle of another domain is not usable", foreignHandle},
	{"UD-18", "an address handle uses its domain", handleUsesDomain},
	{"UD-19", "a message from memory that is not registered fails and stops the send queue", badMessage},
	{"UD-20", "one QP talks to many, and has no peer of its own", manyPeers},
	{"UD-21", "a UD QP does not answer RC", deafToRC},
}

// udPair is two sides with UD QPs, and an address handle from a to b.
type udPair struct {
	*env
	a, b  *side
	ah    verbs.AH // of a, to b
	count int
}

func (e *env) udPair() *udPair {
	e.Helper()
	return e.udPairOf(conf())
}

func (e *env) udPairOf(c config) *udPair {
	e.Helper()
	a, b := e.pair(c.WithType(verbs.QPTypeUD))
	return &udPair{env: e, a: a, b: b, ah: a.handle(b)}
}

// handle makes an address handle of the peer's port.
func (s *side) handle(peer *side) verbs.AH {
	s.Helper()
	attr := s.AddressOf(peer)
	ah, err := s.PD.CreateAH(&attr)
	return own(s.env, ah, err)
}

// room posts a receive for a message of n bytes at the start of the side's memory.
func (s *side) room(id uint64, n int) {
	s.Helper()
	s.PostRecv(recv{ID: id, SGEs: []verbs.SGE{s.SGE(0, verbs.GRHSize+n)}})
}

// message is a signaled SEND of the first n bytes of a's memory.
func (l *udPair) message(id uint64, n int) send {
	return send{ID: id, Op: opSend, Flags: signaled, SGEs: []verbs.SGE{l.a.SGE(0, n)}}.ToUD(l.ah, l.b)
}

// marker returns an empty message with immediate data, which identifies it.
func (l *udPair) marker(id uint64) send {
	return send{ID: id, Op: opSendImm, Flags: signaled, Imm: imm}.ToUD(l.ah, l.b)
}

// post posts a request, which completes with success even if its message is lost.
func (l *udPair) post(w send) {
	l.Helper()
	l.a.Post(w)
	l.a.SendCQ.Expect(w.ID, verbs.WCSuccess)
}

// carries sends n bytes, checks them behind the GRH and returns the completion.
func (l *udPair) carries(n int) verbs.WC {
	l.Helper()
	l.count++
	fixture.Fill(l.a.Mem[:n], l.count)
	area := l.b.Mem[:verbs.GRHSize+n+64]
	clear(area)
	l.b.room(uint64(l.count), n)
	l.post(l.message(uint64(l.count), n))
	wc := l.b.RecvCQ.Expect(uint64(l.count), verbs.WCSuccess)
	if !bytes.Equal(area[verbs.GRHSize:][:n], l.a.Mem[:n]) || touched(area[verbs.GRHSize+n:]) {
		l.Fatalf("a message of %d bytes did not arrive as sent", n)
	}
	return wc
}

// arrives posts a request without immediate data and reports whether its message arrives. If
// not, the marker that follows it arrives first.
func (l *udPair) arrives(w send) bool {
	l.Helper()
	const room = 256
	l.b.room(1, room)
	l.b.room(2, room)
	l.post(w)
	l.post(l.marker(8))
	came := l.b.RecvCQ.Expect(1, verbs.WCSuccess).Flags&verbs.WCWithImm == 0
	if !came {
		l.post(l.marker(9))
	}
	if l.b.RecvCQ.Expect(2, verbs.WCSuccess).Flags&verbs.WCWithImm == 0 {
		l.Error("the message arrived behind one that was sent later")
	}
	return came
}

// header holds the fields of the GRH of a RoCE v2 message.
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

// mapped returns an IPv4 address as a GID.
func mapped(v4 []byte) verbs.GID {
	g := verbs.GID{10: 0xff, 11: 0xff}
	copy(g[12:], v4)
	return g
}

func isMapped(g verbs.GID) bool { return g == mapped(g[12:]) }
