package verbstest

import (
	"bytes"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

func twoProcesses(e *env) {
	p := e.process("memory", 0)
	a := e.side(conf())
	b := a.connectRemote(p.peerConn)
	fixture.Fill(a.Mem[:3000], 1)
	a.Post(
		send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 3000)}}.Toward(b, 100),
		send{ID: 2, Op: opRead, Flags: signaled, SGEs: []verbs.SGE{a.SGE(10000, 5000)}}.Toward(b, 0),
	)
	a.SendCQ.Expect(1, verbs.WCSuccess)
	a.SendCQ.Expect(2, verbs.WCSuccess)
	want := make([]byte, 5000)
	fixture.Fill(want, memorySeed)
	copy(want[100:], a.Mem[:3000])
	if !bytes.Equal(a.Mem[10000:15000], want) {
		e.Error("what was written into the other process is not what was read from it")
	}
	p.send(message{Count: 5000})
	if !bytes.Equal(p.receive().Data, want) {
		e.Error("the other process has other bytes in its memory")
	}
	// Neither a key nor an address of this process is valid in the other one.
	_, mine := a.Region(64, allRights)
	a.refusedByPeer(send{SGEs: []verbs.SGE{a.SGE(0, 8)}}.Into(mine, 0))
}

func processKilled(e *env) {
	p := e.process("memory", 0)
	a := e.side(conf().ShortTimeout())
	b := a.connectRemote(p.peerConn)
	a.Post(send{ID: 1, Flags: signaled, SGEs: []verbs.SGE{a.SGE(0, 8)}}.Toward(b, 0))
	a.SendCQ.Expect(1, verbs.WCSuccess)
	p.kill()
	a.timesOut()
	e.close(a.QP)
}

// producerElsewhere is noLostWakeUp with a sender in another process, under another Go scheduler.
func producerElsewhere(e *env) {
	const messages = 300
	p := e.process("producer", messages)
	c := conf()
	c.Channel = true
	b := e.side(c)
	b.connectRemote(p.peerConn)
	for range depth {
		b.PostRecv(recv{})
	}
	b.RecvCQ.Arm(false)
	p.send(message{})
	b.consume(messages)
	p.receive()
}

// addsOfProcesses lets two processes and a thread of this one add to one word.
func addsOfProcesses(e *env) {
	e.needsAtomics()
	const adds = 200
	c := conf().Atomic()
	b := e.side(c)
	first, second := e.process("adder", adds), e.process("adder", adds)
	b.connectRemote(first.peerConn)
	further := *b
	further.NewQP()
	further.connectRemote(second.peerConn)
	third, a := *b, e.side(c)
	third.NewQP()
	fixture.Connect(a, &third)
	first.send(message{})
	second.send(message{})
	e.ok(a.addLists(b, adds/addList, addList))
	first.receive()
	second.receive()
	if got := b.word(0); got != 3*adds {
		e.Errorf("three added 1 %d times each: the word is %d", adds, got)
	}
}
