package verbstest

import (
	"errors"
	"io"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// roles holds what a peer process may do, by the name of its role.
var roles = map[string]func(l *peerConn, count int){
	"memory":   memoryRole,
	"producer": producerRole,
	"adder":    adderRole,
	"window":   windowRole,
}

// memoryRole lets the other side access its memory, and sends the contents on request, until the
// connection is closed.
func memoryRole(l *peerConn, _ int) {
	s := l.e.side(conf())
	fixture.Fill(s.Mem, memorySeed)
	s.connectRemote(l)
	l.e.ok(l.wire.SetReadDeadline(time.Time{})) // no deadline for the next request
	for {
		var m message
		if err := l.decoder.Decode(&m); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			l.e.Fatal(err)
		}
		l.send(message{Data: s.Mem[:m.Count]})
	}
}

// memorySeed is the seed of the pattern in the memory of memoryRole.
const memorySeed = 5

// producerRole sends messages one by one after the start message.
func producerRole(l *peerConn, count int) {
	s := l.e.side(conf())
	s.connectRemote(l)
	l.receive()
	var done message
	if err := s.sendOneByOne(count); err != nil {
		done.Error = err.Error()
	}
	l.send(done)
}

// adderRole adds 1 to the other side's first word count times, after the start message.
func adderRole(l *peerConn, count int) {
	s := l.e.side(conf().Atomic())
	far := s.connectRemote(l)
	l.receive()
	var done message
	if err := s.addLists(far, count/addList, addList); err != nil {
		done.Error = err.Error()
	}
	l.send(done)
}

// windowRole sends the other side the rkey of a memory window, and then the rkey that the other side
// has invalidated.
func windowRole(l *peerConn, _ int) {
	s := l.e.side(conf())
	s.connectRemote(l)
	s.PostRecv(recv{ID: 81})
	w := s.bound(verbs.MWType2, remoteRights)
	l.send(message{Remote: &remoteEndpoint{Addr: w.mr.Addr() + regionAt, RKey: w.rkey}})
	wc := s.RecvCQ.Expect(81, verbs.WCSuccess)
	l.send(message{Remote: &remoteEndpoint{RKey: wc.InvalidatedRKey()}})
	l.receive()
}

// addList is the number of additions that adderRole posts in one list.
const addList = 10
