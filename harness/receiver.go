package harness

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/message"
	"github.com/ibperf/ibperf/verbs"
)

// receiver is the receiving half of a QP. Messages are counted from the beginning of their
// size on, through all rounds.
type receiver struct {
	lane    *lane
	queue   receiveQueue   // its QP, or the shared receive queue of its worker
	recvs   []verbs.RecvWR // linked in a circle
	into    []verbs.SGE
	credits credits

	// Of the size.
	placing
	ring    *message.Ring
	marks   *message.Markers
	check   *message.Checker // nil without --verify
	posted  int              // receives that are kept posted
	batch   uint64           // free receives that are worth a post
	list    uint64           // receives of one post
	quarter uint64           // of a ring's slots

	came   *sequence // messages, where they overtake each other and their completions tell of them
	passed []uint64  // --verify where messages may be lost: of each slot 1 + the last message that was given up

	arrived uint64 // messages seen
	due     uint64 // messages seen in memory at which slots are given back
	reaped  uint64 // messages whose receive completion was polled
	free    uint64 // receives to post again
	owed    uint64 // receives that are posted and not completed
	slot    int    // of the next receive to post
	sum     byte   // of what was touched
}

// lay prepares the receiver for messages of a scheme.
func (i *receiver) lay(s *scheme, rx *message.Ring) error {
	i.ring, i.marks, i.check, i.passed, i.came = rx, message.NewMarkers(rx, s.order), nil, nil, nil
	if s.verify && !s.fetch {
		i.check = message.NewChecker(rx, markersOf(s, i.marks))
	}
	if s.verify && s.lossy {
		i.passed = make([]uint64, rx.Slots())
	}
	if s.anyOrder && s.numbered {
		i.came = newSequence(2 * s.slots)
	}
	if err := i.layPlaced(s); err != nil {
		return err
	}
	i.posted, i.batch, i.list = s.recvs, 1, s.refill
	i.quarter = uint64(max(1, s.slots/4))
	switch {
	case s.exchange:
	case s.refill > 0:
		i.batch = s.refill
	case s.seen: // the sender is told as often in every mode
		i.batch = min(i.quarter, 32)
	default:
		i.batch = uint64(max(1, min(s.recvs/2, 32)))
	}
	i.arrived, i.reaped, i.free, i.slot = 0, 0, 0, 0
	i.due = i.batch
	i.credits.told = 0
	r := i.lane.worker.rig
	lkey := r.of(i.lane.index).lkey(s.relaxed)
	for n := range s.recvs {
		at := r.layout.rx(i.lane.index) + rx.SlotOffset(uint64(n%s.span))
		i.into[n] = verbs.SGE{Addr: r.addr(at - s.grh), Length: uint32(s.size + s.grh), LKey: lkey}
		i.recvs[n] = verbs.RecvWR{WRID: i.wrid(n), SGList: &i.into[n], NumSGE: 1, Next: &i.recvs[(n+1)%s.recvs]}
	}
	return nil
}

// postRecvs posts n receives, in lists of as many as they are to have.
func (i *receiver) postRecvs(n uint64) error {
	for ; i.list > 0 && n > i.list; n -= i.list {
		if err := i.postList(i.list); err != nil {
			return err
		}
	}
	return i.postList(n)
}

// postList posts n receives in one list, for the slots that follow the last one's.
// They are linked already, as sends are.
func (i *receiver) postList(n uint64) error {
	if len(i.loose) > 0 {
		return i.postLoose(n)
	}
	first := i.slot
	next := first + int(n)
	if next >= i.posted {
		next -= i.posted
	}
	last := next - 1
	if last < 0 {
		last = i.posted - 1
	}
	i.recvs[last].Next = nil
	_, err := i.queue.PostRecv(&i.recvs[first])
	i.recvs[last].Next = &i.recvs[next]
	if err != nil {
		return fmt.Errorf("post receive: %w", err)
	}
	i.slot = next
	i.owed += n
	return nil
}

// received notes completions of receives.
func (i *receiver) received(n uint64) {
	i.reaped += n
	i.free += n
	i.owed -= n
}

// repost posts receives again: a few at a time in bandwidth tests, which costs less,
// and each at once in latency tests, where none of the samples should pay for others.
func (i *receiver) repost() error {
	if i.free < i.batch {
		return nil
	}
	if i.list > 0 {
		return i.postFree(i.free - i.free%i.list)
	}
	return i.postFree(i.free)
}

// restock posts all receives again that are free.
func (i *receiver) restock() error {
	if i.free == 0 {
		return nil
	}
	return i.postFree(i.free)
}

func (i *receiver) postFree(n uint64) error {
	i.free -= n
	return i.postRecvs(n)
}

// unreaped returns how many messages were seen whose receive completion was not
// polled. It is negative when completions are ahead of the looks at memory.
func (i *receiver) unreaped() int64 { return int64(i.arrived - i.reaped) }

// unused returns how many posted receives no message has taken. Messages that were seen
// in memory alone have taken one too.
func (i *receiver) unused() uint64 {
	if i.owed == 0 {
		return 0
	}
	return i.owed - (i.arrived - i.reaped)
}

// notice counts that the slot of message k holds its last message again. One that was given
// up has come late, and once.
func (i *receiver) notice(k uint64) {
	if i.marks.Again(k) {
		before := k - uint64(i.ring.Slots())
		if i.passed == nil || i.passed[i.ring.Index(k)] != before+1 {
			i.check.Duplicate(before)
		}
		i.marks.Poison(before)
	}
}

// pass gives the next n messages up, which count as lost.
func (i *receiver) pass(n uint64) {
	for ; n > 0; n-- {
		if i.passed != nil {
			i.passed[i.ring.Index(i.arrived)] = i.arrived + 1
		}
		i.arrived++
	}
}
