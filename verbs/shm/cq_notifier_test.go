package shm

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/arming"
)

// eventNode is a node whose CQ has a channel.
type eventNode struct {
	*node
	ch *channel
}

func newEventNode(t *testing.T) *eventNode {
	t.Helper()
	v := newNode(t)
	ch := v.newChannel(t)
	var err error
	v.cq, err = v.ctx.CreateCQ(64, ch, 0)
	check(t, err)
	q := v.addQP(t)
	v.qp = q
	return &eventNode{v, ch}
}

// addQP creates another QP on the node's CQ.
func (v *node) addQP(t *testing.T) *qp {
	t.Helper()
	q, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 64, MaxRecvWR: 64, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	return q.(*qp)
}

// connectPeer connects another QP of the node to a new node.
func (v *node) connectPeer(t *testing.T) (own *qp, peer *node) {
	t.Helper()
	peer = newNode(t)
	first := v.qp
	defer func() { v.qp = first }()
	v.qp = v.addQP(t)
	check(t, v.connect(peer.endpoint()))
	check(t, peer.connect(v.endpoint()))
	return v.qp, peer
}

// postReceives posts n receives of 64 bytes.
func (v *node) postReceives(t *testing.T, q *qp, n int) {
	t.Helper()
	for range n {
		sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
		_, err := q.PostRecv(&verbs.RecvWR{WRID: uint64(q.num), SGList: &sge, NumSGE: 1})
		check(t, err)
	}
}

// postEmptySend posts an unsignaled, empty SEND.
func (v *node) postEmptySend(t *testing.T) {
	t.Helper()
	_, err := v.qp.PostSend(&verbs.SendWR{Opcode: verbs.OpSend})
	check(t, err)
}

// wantEvent waits for an event of the CQ.
func (s *eventNode) wantEvent(t *testing.T) {
	t.Helper()
	q, err := s.ch.GetEvent(10 * time.Second)
	check(t, err)
	q.AckEvents(1)
}

// openPipe opens the channel's pipe, as a peer does.
func (s *eventNode) openPipe(t *testing.T) int {
	t.Helper()
	peer := newNode(t)
	r, err := peer.ctx.peerContextOf(s.ctx.id)
	check(t, err)
	b, err := r.notifier(s.cq.(*cq).notifier.cq)
	check(t, err)
	return b.fd
}

// fillPipe fills a pipe, and then makes writes to the descriptor block. It returns the number of
// tokens written.
func fillPipe(t *testing.T, fd int) (n int) {
	t.Helper()
	for ; ; n++ {
		if errno := writeToken(fd, token{armed: ^uint64(1)}); errno == unix.EAGAIN {
			break
		} else if errno != 0 {
			t.Fatal(errno)
		}
	}
	check(t, unix.SetNonblock(fd, false))
	return n
}

// mustReturn fails the test if f does not return within 10 s.
func mustReturn(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not return within 10 s", what)
	}
}

// TestPeerFillsOwnersPipe covers a peer that fills the owner's pipe: it blocks neither the owner
// nor the events of other peers.
func TestPeerFillsOwnersPipe(t *testing.T) {
	s := newEventNode(t)
	own, peer := s.connectPeer(t)
	s.postReceives(t, own, 2)
	fd := s.openPipe(t)
	fillPipe(t, fd)
	check(t, s.cq.ReqNotify(false))
	mustReturn(t, "an honest peer's SEND", func() { peer.postEmptySend(t) })
	s.wantEvent(t)
	check(t, unix.SetNonblock(fd, true))
	fillPipe(t, fd)
	check(t, s.cq.ReqNotify(false))
	mustReturn(t, "a completion of this process", func() { s.qp.sendCQ.push(&ringWC{counter: new(relaxedCounter)}, true) })
	s.wantEvent(t)
}

// TestGarbageInPipe covers bytes in the pipe that are no token: no event is lost, although spurious
// ones may occur.
func TestGarbageInPipe(t *testing.T) {
	s := newEventNode(t)
	own, peer := s.connectPeer(t)
	s.postReceives(t, own, 2)
	fd := s.openPipe(t)
	for _, garbage := range []string{"x", "0123456789abcdef", "0123456789abcdef0"} {
		check(t, s.cq.ReqNotify(false))
		_, err := unix.Write(fd, []byte(garbage))
		check(t, err)
		s.postReceives(t, own, 1)
		peer.postEmptySend(t)
		s.wantEvent(t)
	}
}

// TestReceiverFillsItsOwnPipe covers a receiver that fills its own channel and does not read: its
// senders do not block, and its event arrives once it reads again.
func TestReceiverFillsItsOwnPipe(t *testing.T) {
	s := newEventNode(t)
	own, peer := s.connectPeer(t)
	s.postReceives(t, own, 2)
	check(t, s.cq.ReqNotify(false))
	peer.postEmptySend(t)
	s.wantEvent(t)
	filled := fillPipe(t, s.openPipe(t))
	check(t, s.cq.ReqNotify(false))
	mustReturn(t, "a SEND", func() { peer.postEmptySend(t) })
	for range filled {
		readToken(s.ch.readFD)
	}
	s.wantEvent(t)
}

// TestPeerDiesBeforeItsToken covers a peer that dies between a completion and its token: the events
// of other peers still arrive.
func TestPeerDiesBeforeItsToken(t *testing.T) {
	s := newEventNode(t)
	first, dying := s.connectPeer(t)
	second, honest := s.connectPeer(t)
	s.postReceives(t, first, 3)
	s.postReceives(t, second, 3)
	dying.postEmptySend(t)
	check(t, s.cq.ReqNotify(false))
	notifier := dying.qp.peer.notifier
	notifier.written.First(arming.Number(notifier.word)) // as if it had just notified
	dying.postEmptySend(t)
	if _, err := s.ch.GetEvent(10 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Fatalf("an event without a token: %v", err)
	}
	honest.postEmptySend(t)
	s.wantEvent(t)
}

// TestOneArmingIsOneEvent covers that completions of several peers raise one event for one arming.
func TestOneArmingIsOneEvent(t *testing.T) {
	s := newEventNode(t)
	first, one := s.connectPeer(t)
	second, other := s.connectPeer(t)
	s.postReceives(t, first, 1)
	s.postReceives(t, second, 1)
	check(t, s.cq.ReqNotify(false))
	one.postEmptySend(t)
	other.postEmptySend(t)
	s.wantEvent(t)
	if _, err := s.ch.GetEvent(10 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("a second event: %v", err)
	}
}

// TestLostPeerWakesArmedCQ covers an armed CQ whose sender was killed before it wrote the token: an
// event is raised.
func TestLostPeerWakesArmedCQ(t *testing.T) {
	s := newEventNode(t)
	own, dying := s.connectPeer(t)
	s.postReceives(t, own, 3)
	dying.postEmptySend(t)
	var wc [4]verbs.WC
	if n, err := s.cq.Poll(wc[:]); n != 1 || err != nil {
		t.Fatalf("%d completions, %v", n, err)
	}
	check(t, s.cq.ReqNotify(false))
	notifier := dying.qp.peer.notifier
	notifier.written.First(arming.Number(notifier.word))
	dying.postEmptySend(t)
	check(t, dying.ctx.Close())
	s.wantEvent(t)
}

// TestUnrelatedLostPeerRaisesNoEvent covers the end of a context that has sent nothing to the CQ:
// completions from before the arming raise no event.
func TestUnrelatedLostPeerRaisesNoEvent(t *testing.T) {
	s := newEventNode(t)
	own, peer := s.connectPeer(t)
	s.postReceives(t, own, 1)
	peer.postEmptySend(t)
	check(t, s.cq.ReqNotify(false))
	other := newUDNode(t)
	other.createAH(t, gidOf(own.ctx.id))
	check(t, other.ctx.Close())
	if _, err := s.ch.GetEvent(50 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("an event for a completion from before the arming: %v", err)
	}
}

// TestStaleTokenFlood covers a peer that floods the pipe with stale tokens: waits still time out,
// and events still arrive.
func TestStaleTokenFlood(t *testing.T) {
	s := newEventNode(t)
	fd := s.openPipe(t)
	own, peer := s.connectPeer(t)
	s.postReceives(t, own, 1)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				writeToken(fd, token{cq: s.cq.(*cq).notifier.cq, mark: tokenMark, armed: 1 << 40})
			}
		}
	}()
	defer func() {
		close(stop)
		<-ended
	}()
	check(t, s.cq.ReqNotify(false))
	mustReturn(t, "a wait", func() {
		if _, err := s.ch.GetEvent(20 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
			t.Errorf("error %v, want a timeout", err)
		}
	})
	mustReturn(t, "a raw wait", func() {
		if _, err := s.ch.GetEventRaw(5 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
			t.Errorf("error %v, want a timeout", err)
		}
	})
	peer.postEmptySend(t)
	s.wantEvent(t)
}
