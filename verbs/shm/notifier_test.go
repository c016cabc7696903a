package shm

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// sleeper is a victim whose CQ has a channel.
type sleeper struct {
	*victim
	ch *channel
}

func newSleeper(t *testing.T) *sleeper {
	t.Helper()
	v := newVictim(t)
	ch, err := v.ctx.CreateCompChannel()
	check(t, err)
	v.cq, err = v.ctx.CreateCQ(64, ch, 0)
	check(t, err)
	q := v.another(t)
	v.qp = q
	return &sleeper{v, ch.(*channel)}
}

// another makes a further QP on the victim's CQ.
func (v *victim) another(t *testing.T) *qp {
	t.Helper()
	q, err := v.qp.pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: v.cq, RecvCQ: v.cq, Type: verbs.QPTypeRC,
		Cap: verbs.QPCap{MaxSendWR: 64, MaxRecvWR: 64, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	check(t, err)
	return q.(*qp)
}

// join connects a further QP of the victim with a new one's.
func (v *victim) join(t *testing.T) (own *qp, peer *victim) {
	t.Helper()
	peer = newVictim(t)
	first := v.qp
	defer func() { v.qp = first }()
	v.qp = v.another(t)
	check(t, v.connect(peer.endpoint()))
	check(t, peer.connect(v.endpoint()))
	return v.qp, peer
}

// receives posts n receives of 64 bytes.
func (v *victim) receives(t *testing.T, q *qp, n int) {
	t.Helper()
	for range n {
		sge := verbs.SGE{Addr: v.mr.Addr(), Length: 64, LKey: v.mr.LKey()}
		_, err := q.PostRecv(&verbs.RecvWR{WRID: uint64(q.num), SGList: &sge, NumSGE: 1})
		check(t, err)
	}
}

// sends posts an unsignaled SEND.
func (v *victim) sends(t *testing.T) {
	t.Helper()
	_, err := v.qp.PostSend(&verbs.SendWR{Opcode: verbs.OpSend})
	check(t, err)
}

// event waits for an event of the CQ.
func (s *sleeper) event(t *testing.T) {
	t.Helper()
	q, err := s.ch.GetEvent(10 * time.Second)
	check(t, err)
	q.AckEvents(1)
}

// reachPipe opens the pipe of the channel, as a peer does.
func (s *sleeper) reachPipe(t *testing.T) int {
	t.Helper()
	peer := newVictim(t)
	r, err := peer.ctx.remoteOf(s.ctx.id)
	check(t, err)
	b, err := r.notifier(s.cq.(*cq).notifier.cq)
	check(t, err)
	return b.fd
}

// fill fills a pipe, and then makes a write to it block, as far as the descriptor can. It
// returns how many writes that took.
func fill(t *testing.T, fd int) (n int) {
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

// inTime fails the test if f does not return.
func inTime(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s does not return", what)
	}
}

// TestFullPipeHere: a peer that fills the pipe of a channel holds up neither its
// owner nor the events of others.
func TestFullPipeHere(t *testing.T) {
	s := newSleeper(t)
	own, peer := s.join(t)
	s.receives(t, own, 2)
	fd := s.reachPipe(t)
	fill(t, fd)
	check(t, s.cq.ReqNotify(false))
	inTime(t, "an honest peer's SEND", func() { peer.sends(t) })
	s.event(t)
	check(t, unix.SetNonblock(fd, true))
	fill(t, fd)
	check(t, s.cq.ReqNotify(false))
	inTime(t, "a completion of this process", func() { s.qp.sendCQ.push(&ownWC{places: new(relaxedCounter)}, true) })
	s.event(t)
}

// TestGarbageInThePipe: what is no token costs nobody an event, and makes at most some that
// nobody is waiting for.
func TestGarbageInThePipe(t *testing.T) {
	s := newSleeper(t)
	own, peer := s.join(t)
	s.receives(t, own, 2)
	fd := s.reachPipe(t)
	for _, garbage := range []string{"x", "0123456789abcdef", "0123456789abcdef0"} {
		check(t, s.cq.ReqNotify(false))
		_, err := unix.Write(fd, []byte(garbage))
		check(t, err)
		s.receives(t, own, 1)
		peer.sends(t)
		s.event(t)
	}
}

// TestFullPipeThere: a peer that fills its own channel and reads nothing does not hold up who
// sends to it. When it reads again, its event comes.
func TestFullPipeThere(t *testing.T) {
	s := newSleeper(t)
	own, peer := s.join(t)
	s.receives(t, own, 2)
	check(t, s.cq.ReqNotify(false))
	peer.sends(t)
	s.event(t)
	filled := fill(t, s.reachPipe(t))
	check(t, s.cq.ReqNotify(false))
	inTime(t, "a SEND", func() { peer.sends(t) })
	for range filled {
		readToken(s.ch.in)
	}
	s.event(t)
}

// TestArmIsOfAll: a peer that dies, or is stopped, between a completion and its token takes no event from others.
func TestArmIsOfAll(t *testing.T) {
	s := newSleeper(t)
	first, dying := s.join(t)
	second, honest := s.join(t)
	s.receives(t, first, 3)
	s.receives(t, second, 3)
	dying.sends(t)
	check(t, s.cq.ReqNotify(false))
	notifier := dying.qp.peer.notifier
	notifier.notified.Store(*notifier.word >> armShift) // as if it had just notified
	dying.sends(t)
	if _, err := s.ch.GetEvent(10 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Fatalf("an event that nobody sent, %v", err)
	}
	honest.sends(t)
	s.event(t)
}

// TestOneEventOfAll: completions of several peers for one arming are one event.
func TestOneEventOfAll(t *testing.T) {
	s := newSleeper(t)
	first, one := s.join(t)
	second, other := s.join(t)
	s.receives(t, first, 1)
	s.receives(t, second, 1)
	check(t, s.cq.ReqNotify(false))
	one.sends(t)
	other.sends(t)
	s.event(t)
	if _, err := s.ch.GetEvent(10 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("a second event, %v", err)
	}
}

// TestLostConnectionWakes: whoever waits for a completion whose sender was killed before it
// sent the token is woken.
func TestLostConnectionWakes(t *testing.T) {
	s := newSleeper(t)
	own, dying := s.join(t)
	s.receives(t, own, 3)
	dying.sends(t)
	var wc [4]verbs.WC
	if n, err := s.cq.Poll(wc[:]); n != 1 || err != nil {
		t.Fatalf("%d completions, %v", n, err)
	}
	check(t, s.cq.ReqNotify(false))
	notifier := dying.qp.peer.notifier
	notifier.notified.Store(*notifier.word >> armShift)
	dying.sends(t)
	check(t, dying.ctx.Close())
	s.event(t)
}

// TestOtherConnectionIsLost: the end of a context that has sent nothing to the CQ makes no event of
// what came before the arm.
func TestOtherConnectionIsLost(t *testing.T) {
	s := newSleeper(t)
	own, peer := s.join(t)
	s.receives(t, own, 1)
	peer.sends(t)
	check(t, s.cq.ReqNotify(false))
	other := newMailbox(t)
	other.handle(t, gidOf(own.ctx.id))
	check(t, other.ctx.Close())
	if _, err := s.ch.GetEvent(50 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
		t.Errorf("an event from before the arm, %v", err)
	}
}

// TestFlood: tokens that mean nothing, however many, hold up neither a wait's end nor an event.
func TestFlood(t *testing.T) {
	s := newSleeper(t)
	fd := s.reachPipe(t)
	own, peer := s.join(t)
	s.receives(t, own, 1)
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
	inTime(t, "a wait", func() {
		if _, err := s.ch.GetEvent(20 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
			t.Errorf("waiting said %v", err)
		}
	})
	inTime(t, "a raw wait", func() {
		if _, err := s.ch.GetEventRaw(5 * time.Millisecond); !errors.Is(err, verbs.ErrTimeout) {
			t.Errorf("waiting said %v", err)
		}
	})
	peer.sends(t)
	s.event(t)
}
