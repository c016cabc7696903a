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

// askQueue asks for the receive queue of the victim's QP, as a peer can, over a connection
// that lasts until the function that it returns is called.
func askQueue(t *testing.T, v *victim) (rep reply, fds []int, hangUp func()) {
	t.Helper()
	conn, err := dial(v.ctx.id)
	check(t, err)
	_, err = conn.Write(request{op: askQP, arg: v.qp.num}.encode())
	check(t, err)
	b := make([]byte, replySize+1)
	n, fds, err := receive(conn, b)
	check(t, err)
	rep, ok := decodeReply(b[:n])
	if !ok || len(fds) != 2 {
		t.Errorf("%+v with %d descriptors", rep, len(fds))
	}
	return rep, fds, func() {
		conn.Close()
		closeAll(fds)
	}
}

// fill fills what the descriptor leads to, and then makes a write to it block. It returns
// how many writes that took.
func fill(t *testing.T, fd int) (n int) {
	t.Helper()
	check(t, unix.SetNonblock(fd, true))
	most := []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for ; ; n++ {
		if _, err := unix.Write(fd, most); err == unix.EAGAIN {
			break
		} else {
			check(t, err)
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

// TestFullDoorHere: a peer that fills all it can reach of a channel holds up neither its
// owner nor the events of others.
func TestFullDoorHere(t *testing.T) {
	s := newSleeper(t)
	_, fds, hangUp := askQueue(t, s.victim)
	defer hangUp()
	own, peer := s.join(t)
	s.receives(t, own, 2)
	fill(t, fds[len(fds)-1])
	check(t, s.cq.ReqNotify(false))
	inTime(t, "an honest peer's SEND", func() { peer.sends(t) })
	s.event(t)
	check(t, s.cq.ReqNotify(false))
	inTime(t, "a completion of this process", func() { s.qp.sendCQ.push(&ownWC{places: new(tally)}, true) })
	s.event(t)
}

// TestFullDoorThere: a peer that fills its own channel and reads nothing does not hold up who
// sends to it. When it reads again, its event comes.
func TestFullDoorThere(t *testing.T) {
	s := newSleeper(t)
	own, peer := s.join(t)
	s.receives(t, own, 2)
	check(t, s.cq.ReqNotify(false))
	peer.sends(t)
	s.event(t)
	filled := map[*door]int{}
	for _, d := range s.ch.doors {
		filled[d] = fill(t, d.out)
	}
	check(t, s.cq.ReqNotify(false))
	inTime(t, "a SEND", func() { peer.sends(t) })
	for d, n := range filled {
		for range n {
			receiveToken(d.in)
		}
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
	bell := dying.qp.peer.bell
	bell.rung.Store(*bell.word >> armShift) // as if it had just rung
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
	bell := dying.qp.peer.bell
	bell.rung.Store(*bell.word >> armShift)
	dying.sends(t)
	check(t, dying.ctx.Close())
	s.event(t)
}

// TestFlood: tokens that mean nothing, however many, hold up neither a wait's end nor an event.
func TestFlood(t *testing.T) {
	s := newSleeper(t)
	_, fds, hangUp := askQueue(t, s.victim)
	defer hangUp()
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
				sendToken(fds[1], token{cq: s.cq.(*cq).bell.cq, armed: 1 << 40})
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
