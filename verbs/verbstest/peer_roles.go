package verbstest

import (
	"errors"
	"io"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

// roles are what a peer can be.
var roles = map[string]func(l *line, count int){
	"memory":   beMemory,
	"producer": beProducer,
	"adder":    beAdder,
	"window":   beWindow,
}

// beMemory lets the other side do what it wants with its memory, and shows it
// when asked, until the line is closed.
func beMemory(l *line, _ int) {
	s := l.e.side(conf())
	fill(s.mem, memorySeed)
	s.meet(l)
	l.e.ok(l.wire.SetReadDeadline(time.Time{})) // the other side may take its time
	for {
		var m message
		if err := l.decoder.Decode(&m); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			l.e.Fatal(err)
		}
		l.tell(message{Data: s.mem[:m.Count]})
	}
}

// memorySeed is what the memory of beMemory is filled with.
const memorySeed = 5

// beProducer sends one message after the other when it is told to.
func beProducer(l *line, count int) {
	s := l.e.side(conf())
	s.meet(l)
	l.hear()
	var done message
	if err := s.sendOneByOne(count); err != nil {
		done.Error = err.Error()
	}
	l.tell(done)
}

// beAdder adds 1 to the other side's first word, so many times, when it is told to.
func beAdder(l *line, count int) {
	s := l.e.side(conf().atomic())
	far := s.meet(l)
	l.hear()
	var done message
	if err := s.addLists(far, count/addList, addList); err != nil {
		done.Error = err.Error()
	}
	l.tell(done)
}

// beWindow shows the other side a window, and the rkey that it makes invalid.
func beWindow(l *line, _ int) {
	s := l.e.side(conf())
	s.meet(l)
	s.recv(recv{id: 81})
	w := s.bound(verbs.MWType2, remoteRights)
	l.tell(message{Far: &farEndpoint{Addr: w.mr.Addr() + regionAt, RKey: w.rkey}})
	wc := s.recvCQ.gives(81, verbs.WCSuccess)
	l.tell(message{Far: &farEndpoint{RKey: wc.InvalidatedRKey()}})
	l.hear()
}

// addList is how many additions beAdder posts at once.
const addList = 10
