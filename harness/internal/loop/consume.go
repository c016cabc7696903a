package loop

import (
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
)

// A consumer handles a message once it is detected: it touches each cache line and, with --verify,
// checks every byte. The functions here return nil if there is nothing to do.

// cacheLine is the distance of touches, in bytes.
const cacheLine = 64

// consumer returns the function that consumes message k of a receiver, or nil.
func consumer(c *testcase.Case) func(i *receiver, k uint64) {
	touch := toucher(c)
	switch {
	case c.Verify && c.PollsMemory: // a second delivery overwrites poisoned markers
		return func(i *receiver, k uint64) {
			i.sum += touch(i.ring.Slot(k))
			i.check.Check(k)
			i.marks.Poison(k)
		}
	case c.Verify:
		return func(i *receiver, k uint64) {
			i.sum += touch(i.ring.Slot(k))
			i.check.Check(k)
		}
	case c.Touch == option.TouchNone:
		return nil
	}
	return func(i *receiver, k uint64) { i.sum += touch(i.ring.Slot(k)) }
}

// consumerOrNoop returns the consumer, or a function that does nothing if there is none.
func consumerOrNoop(c *testcase.Case) func(i *receiver, k uint64) {
	if consume := consumer(c); consume != nil {
		return consume
	}
	return func(*receiver, uint64) {}
}

// fetchConsumer returns the function that consumes the data of READ or atomic operation k, or nil.
func fetchConsumer(c *testcase.Case) func(o *sender, k uint64) {
	touch := toucher(c)
	switch {
	case c.Verify && c.Atomic:
		return func(o *sender, k uint64) {
			o.sum += touch(o.into.Slot(k))
			o.checkAtomic(k)
		}
	case c.Verify:
		return func(o *sender, k uint64) {
			o.sum += touch(o.into.Slot(k))
			o.check.Check(o.into.Index(k))
		}
	case c.Touch == option.TouchNone:
		return nil
	}
	return func(o *sender, k uint64) { o.sum += touch(o.into.Slot(k)) }
}

// toucher returns the function that touches a message. It returns the sum of the loaded bytes, so that
// the compiler keeps the loads.
func toucher(c *testcase.Case) func([]byte) byte {
	first := cacheLine - c.Offset%cacheLine // from the beginning of the message to its second line
	switch c.Touch {
	case option.TouchRead:
		return func(b []byte) byte {
			sum := b[0]
			for at := first; at < len(b); at += cacheLine {
				sum += b[at]
			}
			return sum
		}
	case option.TouchWrite: // the changed bytes are never markers of the slot's next message, see package message
		return func(b []byte) byte {
			b[0] ^= 0x80
			for at := first; at < len(b); at += cacheLine {
				b[at] ^= 0x80
			}
			return 0
		}
	}
	return func([]byte) byte { return 0 }
}
