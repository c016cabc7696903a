package harness

import (
	"encoding/binary"
	"fmt"

	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Where messages take the receives of several QPs, may be lost or overtake each other, the
// completion tells which receive one has taken. The wr_id of a receive is the place of the lane that it
// belongs to, and its own place in the lane's circle.

const homeBits = 32

// placing is what a receiver keeps of such receives.
type placing struct {
	loose []uint64      // receives to post again
	copy  *verbs.Buffer // where messages are put to be checked, nil without --verify
	laid  *message.Ring // over it
}

// wrid is the wr_id of a receive.
func (i *receiver) wrid(place int) uint64 {
	if i.loose == nil {
		return uint64(i.lane.place)
	}
	return uint64(i.lane.place) | uint64(place)<<homeBits
}

// layPlaced prepares for messages of a scheme.
func (i *receiver) layPlaced(s *scheme) (err error) {
	i.close()
	if i.loose = nil; !s.placed {
		return nil
	}
	i.loose = make([]uint64, 0, s.recvs)
	if !s.verify {
		return nil
	}
	if i.copy, err = verbs.NewBuffer(message.RingBytes(s.size, s.offset, s.span)); err != nil {
		return err
	}
	if i.laid, err = message.NewRing(i.copy.Bytes(), s.size, s.offset, s.span); err != nil {
		return err
	}
	i.check = message.NewChecker(i.laid, nil)
	return nil
}

func (i *receiver) close() {
	if i.copy != nil {
		i.copy.Close()
		i.copy = nil
	}
}

// postLoose posts n receives again that messages have taken in any order.
func (i *receiver) postLoose(n uint64) error {
	for k := range n - 1 {
		i.recvs[i.loose[k]].Next = &i.recvs[i.loose[k+1]]
	}
	i.recvs[i.loose[n-1]].Next = nil
	first := i.loose[0]
	i.loose = i.loose[:copy(i.loose, i.loose[n:])]
	i.owed += n
	_, err := i.queue.PostRecv(&i.recvs[first])
	return err
}

// landed notes which receive a completion is of. It returns the lane that the message came
// on, the one that the receive belongs to, and its place there.
func (w *worker) landed(c *verbs.WC) (l, home *lane, place uint64) {
	home, place = w.lanes[c.WRID&(1<<homeBits-1)], c.WRID>>homeBits
	home.in.loose = append(home.in.loose, place)
	home.in.free++
	home.in.owed--
	l = home
	if w.srq != nil && len(w.lanes) > 1 {
		if by := w.byQP[c.QPNum]; by != nil {
			l = by
		}
	}
	return l, home, place
}

// landAll notes completions of messages that nobody looks at.
func (w *worker) landAll(wcs []verbs.WC) error {
	for k := range wcs {
		if wcs[k].Status != verbs.WCSuccess {
			return w.failed(&wcs[k])
		}
		w.landed(&wcs[k])
	}
	return nil
}

// number writes a message's number into its request.
func (o *sender) number(k uint64) {
	binary.BigEndian.PutUint32(o.sends[k%uint64(o.slots)].Imm[:], uint32(k))
}

// numberOf returns the number of a message: the one that it carries, or the next of its QP.
func (i *receiver) numberOf(s *scheme, c *verbs.WC) uint64 {
	if !s.numbered {
		return i.arrived
	}
	ahead := int32(binary.BigEndian.Uint32(c.Imm[:]) - uint32(i.arrived))
	return i.arrived + uint64(int64(ahead))
}

// took notes that message n was consumed. One that comes late changes nothing.
func (i *receiver) took(n uint64) {
	i.arrived = max(i.arrived, n+1)
	i.reaped = i.arrived
}

// taker returns how messages are noted that come in a stream.
func (s *scheme) taker() func(i *receiver, n uint64) error {
	if s.anyOrder && s.numbered {
		return (*receiver).tookAnyOrder
	}
	return func(i *receiver, n uint64) error { i.took(n); return nil }
}

// tookAnyOrder notes that message n was consumed: those up to the first that has not come have
// arrived.
func (i *receiver) tookAnyOrder(n uint64) error {
	if !i.came.take(n) {
		return fmt.Errorf("message %d came, where %d is the first that had not: it came twice, or too early", n, i.came.upTo)
	}
	i.arrived, i.reaped = i.came.upTo, i.came.upTo
	return nil
}

// placedConsumer returns what is done with message n of a lane, which has taken a receive of
// another one, its home.
func (s *scheme) placedConsumer() func(l, home *lane, place, n uint64) {
	touch, landing := s.toucher(), s.landing()
	switch {
	case s.verify:
		return func(l, home *lane, place, n uint64) {
			b, i := landing(l, home, place, n), &l.in
			i.sum += touch(b)
			copy(i.laid.Slot(n), b)
			i.check.Check(n)
		}
	case s.touch == option.TouchNone:
		return func(_, _ *lane, _, _ uint64) {}
	}
	return func(l, home *lane, place, n uint64) { l.in.sum += touch(landing(l, home, place, n)) }
}

// landing returns where message n of a lane is.
func (s *scheme) landing() func(l, home *lane, place, n uint64) []byte {
	if s.lands {
		return func(_, home *lane, place, _ uint64) []byte { return home.in.ring.Slot(place) }
	}
	return func(l, _ *lane, _, n uint64) []byte { return l.in.ring.Slot(n) }
}

// takePlaced is the step of a stream that learns of messages by their completions.
func (w *worker) takePlaced(most *uint64) func() (uint64, error) {
	s := w.scheme
	consume, reap, took := s.placedConsumer(), w.receivePoller(most), s.taker()
	return func() (uint64, error) {
		wcs, err := reap()
		for k := range wcs {
			l, home, place := w.landed(&wcs[k])
			i := &l.in
			n := i.numberOf(s, &wcs[k])
			consume(l, home, place, n)
			if err := took(i, n); err != nil {
				return 0, err
			}
			if err := home.in.repost(); err != nil {
				return 0, err
			}
			if s.credits {
				if err := i.giveCredit(i.arrived); err != nil {
					return 0, err
				}
			}
		}
		return uint64(len(wcs)), err
	}
}

// arrivePlaced waits for a message of a ping-pong by its completion. An answer to a message
// that was given up already is none.
func (w *worker) arrivePlaced() func() (bool, error) {
	s, most := w.scheme, uint64(1)
	consume, reap := s.placedConsumer(), w.receivePoller(&most)
	asks := s.lossy && w.leads()
	return func() (bool, error) {
		wcs, err := reap()
		if len(wcs) == 0 {
			return false, err
		}
		l, home, place := w.landed(&wcs[0])
		i := &l.in
		n := i.numberOf(s, &wcs[0])
		consume(l, home, place, n)
		i.took(n)
		if asks && (l != w.turns.asked || n+1 != l.out.sent) {
			w.turns.late++
			return false, home.in.repost()
		}
		w.turns.from, w.turns.home = l, home
		return true, nil
	}
}
