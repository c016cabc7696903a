package verbstest

import (
	"bytes"

	"github.com/ibperf/ibperf/verbs"
)

func twoProcesses(e *env) {
	p := e.process("memory", 0)
	a := e.side(conf())
	b := a.meet(p.line)
	fill(a.mem[:3000], 1)
	a.post(
		send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 3000)}}.toward(b, 100),
		send{id: 2, op: opRead, flags: signaled, sges: []verbs.SGE{a.sge(10000, 5000)}}.toward(b, 0),
	)
	a.sendCQ.gives(1, verbs.WCSuccess)
	a.sendCQ.gives(2, verbs.WCSuccess)
	want := make([]byte, 5000)
	fill(want, memorySeed)
	copy(want[100:], a.mem[:3000])
	if !bytes.Equal(a.mem[10000:15000], want) {
		e.Error("what was written into the other process is not what was read from it")
	}
	p.tell(message{Count: 5000})
	if !bytes.Equal(p.hear().Data, want) {
		e.Error("the other process has other bytes in its memory")
	}
	// A key of this process means nothing in the other one, nor the address.
	_, mine := a.region(64, allRights)
	a.refusedByPeer(send{sges: []verbs.SGE{a.sge(0, 8)}}.into(mine, 0))
}

func processGone(e *env) {
	p := e.process("memory", 0)
	a := e.side(conf().impatient())
	b := a.meet(p.line)
	a.post(send{id: 1, flags: signaled, sges: []verbs.SGE{a.sge(0, 8)}}.toward(b, 0))
	a.sendCQ.gives(1, verbs.WCSuccess)
	p.kill()
	a.unanswered()
	e.close(a.qp)
}

// producerElsewhere is noLostWakeUp with a sender that shares nothing with this
// process, not even its scheduler.
func producerElsewhere(e *env) {
	const messages = 300
	p := e.process("producer", messages)
	c := conf()
	c.channel = true
	b := e.side(c)
	b.meet(p.line)
	for range depth {
		b.recv(recv{})
	}
	b.recvCQ.arm(false)
	p.tell(message{})
	b.consume(messages)
	p.hear()
}

// addsOfProcesses lets two processes and a thread of this one add to one word.
func addsOfProcesses(e *env) {
	e.needsAtomics()
	const adds = 200
	c := conf().atomic()
	b := e.side(c)
	first, second := e.process("adder", adds), e.process("adder", adds)
	b.meet(first.line)
	further := *b
	further.newQP()
	further.meet(second.line)
	third, a := *b, e.side(c)
	third.newQP()
	connect(a, &third)
	first.tell(message{})
	second.tell(message{})
	e.ok(a.addLists(b, adds/addList, addList))
	first.hear()
	second.hear()
	if got := b.word(0); got != 3*adds {
		e.Errorf("three added 1 %d times each: the word is %d", adds, got)
	}
}
