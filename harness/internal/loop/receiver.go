package loop

import (
	"fmt"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/setup"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// receiver is the receiving half of a flow. It counts messages from the beginning of their size, over
// all rounds.
type receiver struct {
	flow    *Flow
	queue   setup.RecvQueue // of the QP, or the shared one
	recvs   []verbs.RecvWR  // linked in a ring
	into    []verbs.SGE
	credits credits

	// Constant for a size, except recvFromCQE.
	recvFromCQE
	ring    *message.Ring
	marks   *message.Markers
	check   *message.Checker // nil without --verify
	posted  int              // number of receives that are kept posted
	batch   uint64           // free receives are posted again once there are that many
	list    uint64           // receives in one post; 0: all
	quarter uint64           // quarter of the ring's slots, which each credit returns

	arrivedSet *sequence // messages by their completions, if they overtake each other; else nil
	givenUp    []uint64  // for each slot, 1 + the last message that was given up; nil unless --verify and Lossy

	writes        *writeCount // in mode counter; else nil
	countedBefore uint64      // WRITEs before the size

	arrived     uint64 // messages that were detected
	due         uint64 // value of arrived at which slots are returned, with PollsMemory and ByCounter
	reaped      uint64 // messages whose receive completion was polled
	free        uint64 // receives to post again
	allowed     uint64 // receives that may still be posted in the round, with Exact
	outstanding uint64 // receives that are posted and have not completed
	slot        int    // of the next receive to post
	sum         byte   // sum of touched bytes, so that the loads are not optimized away
}

// setCase prepares the receiver for messages of a test case.
func (i *receiver) setCase(c *testcase.Case, rx *message.Ring) (err error) {
	i.ring, i.check, i.givenUp, i.arrivedSet = rx, nil, nil, nil
	if i.marks, err = i.flow.markersAt(c, rx, i.flow.worker.set.Layout.Rx(i.flow.conn.Index)); err != nil {
		return err
	}
	if c.Verify && !c.Fetches {
		i.check = message.NewChecker(rx, markersOf(c, i.marks))
	}
	if c.Verify && c.Lossy {
		i.givenUp = make([]uint64, rx.Slots())
	}
	if c.Unordered && c.Numbered {
		i.arrivedSet = newSequence(2 * c.Slots)
	}
	if err := i.prepareRecvFromCQE(c); err != nil {
		return err
	}
	i.posted, i.batch, i.list = c.Recvs, 1, c.RecvPostList
	i.quarter = uint64(max(1, c.Slots/4))
	switch {
	case c.PingPong:
	case c.RecvPostList > 0:
		i.batch = c.RecvPostList
	case c.Consumed: // the same in all modes, so that all senders get credits equally often
		i.batch = min(i.quarter, 32)
	default:
		i.batch = uint64(max(1, min(c.Recvs/2, 32)))
	}
	i.countedBefore += i.arrived
	i.arrived, i.reaped, i.free, i.slot = 0, 0, 0, 0
	i.due = i.batch
	i.credits.announced = 0
	f := i.flow
	lkey, offset := f.conn.Region().LKey(c.Relaxed), f.worker.set.Layout.Rx(f.conn.Index)
	for n := range c.Recvs {
		at := offset + rx.SlotOffset(uint64(n%c.SpanIn))
		i.into[n] = verbs.SGE{Addr: f.addr(at - c.GRH), Length: uint32(c.Size + c.GRH), LKey: lkey}
		i.recvs[n] = verbs.RecvWR{WRID: i.wrid(n), SGList: &i.into[n], NumSGE: 1, Next: &i.recvs[(n+1)%c.Recvs]}
	}
	return nil
}

// postRecvs posts n receives, in lists of --recv_post_list requests.
func (i *receiver) postRecvs(n uint64) error {
	for ; i.list > 0 && n > i.list; n -= i.list {
		if err := i.postList(i.list); err != nil {
			return err
		}
	}
	return i.postList(n)
}

// postList posts n receives in one list, beginning after the last posted one. The requests are linked
// already.
func (i *receiver) postList(n uint64) error {
	if len(i.freed) > 0 {
		return i.postFreed(n)
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
	i.outstanding += n
	return nil
}

// received records completions of n receives.
func (i *receiver) received(n uint64) {
	i.reaped += n
	i.free += n
	i.outstanding -= n
}

// repost posts free receives again. Bandwidth tests post several at a time, which costs less.
// Latency tests post each at once, so that every sample contains the same work.
func (i *receiver) repost() error {
	if i.free < i.batch {
		return nil
	}
	if i.list > 0 {
		return i.postFree(i.free - i.free%i.list)
	}
	return i.postFree(i.free)
}

// repostAllowed posts free receives again, up to the number of messages of the round.
func (i *receiver) repostAllowed() error {
	n := min(i.free, i.allowed)
	if n == 0 {
		return nil
	}
	i.allowed -= n
	return i.postFree(n)
}

// restock posts all free receives again.
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

// unreaped returns the number of detected messages whose receive completion was not polled. It is
// negative if more completions were polled than messages were detected in memory.
func (i *receiver) unreaped() int64 { return int64(i.arrived - i.reaped) }

// unused returns the number of posted receives that no message has taken. A message that was detected
// in memory has taken one, even if its completion was not polled.
func (i *receiver) unused() uint64 {
	if i.outstanding == 0 {
		return 0
	}
	return i.outstanding - (i.arrived - i.reaped)
}

// noticeRedelivery counts a duplicate if the previous message of message k's slot was delivered again.
// A previous message that was given up is not a duplicate: it arrived late.
func (i *receiver) noticeRedelivery(k uint64) {
	if i.marks.Redelivered(k) {
		before := k - uint64(i.ring.Slots())
		if i.givenUp == nil || i.givenUp[i.ring.Index(k)] != before+1 {
			i.check.Duplicate(before)
		}
		i.marks.Poison(before)
	}
}

// giveUp counts the next n messages as lost.
func (i *receiver) giveUp(n uint64) {
	for ; n > 0; n-- {
		if i.givenUp != nil {
			i.givenUp[i.ring.Index(i.arrived)] = i.arrived + 1
		}
		i.arrived++
	}
}
