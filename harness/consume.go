package harness

import "github.com/ibperf/ibperf/option"

// What is done with a message once its arrival was detected: each cache line is touched,
// and with --verify every byte is checked. A step has a consumer, or none where there is
// nothing to be done.

// cacheLine is the distance of touches, in bytes.
const cacheLine = 64

// consumer returns what a receiver does with message k.
func (s *scheme) consumer() func(i *receiver, k uint64) {
	touch := s.toucher()
	switch {
	case s.verify && s.memory: // a second delivery shows where the markers were poisoned
		return func(i *receiver, k uint64) {
			i.sum += touch(i.ring.Slot(k))
			i.check.Check(k)
			i.marks.Poison(k)
		}
	case s.verify:
		return func(i *receiver, k uint64) {
			i.sum += touch(i.ring.Slot(k))
			i.check.Check(k)
		}
	case s.touch == option.TouchNone:
		return nil
	}
	return func(i *receiver, k uint64) { i.sum += touch(i.ring.Slot(k)) }
}

// consumerOf is consumer, which does nothing where there is nothing to be done.
func (s *scheme) consumerOf() func(i *receiver, k uint64) {
	if consume := s.consumer(); consume != nil {
		return consume
	}
	return func(*receiver, uint64) {}
}

// fetchConsumer returns what a requester does with what message k brought.
func (s *scheme) fetchConsumer() func(o *sender, k uint64) {
	touch := s.toucher()
	switch {
	case s.verify && s.atomic:
		return func(o *sender, k uint64) {
			o.sum += touch(o.into.Slot(k))
			o.checkAtomic(k)
		}
	case s.verify:
		return func(o *sender, k uint64) {
			o.sum += touch(o.into.Slot(k))
			o.check.Check(o.into.Index(k))
		}
	case s.touch == option.TouchNone:
		return nil
	}
	return func(o *sender, k uint64) { o.sum += touch(o.into.Slot(k)) }
}

// toucher returns what touches a message. The sum of what was loaded goes to memory, so
// that the loads are not left out.
func (s *scheme) toucher() func([]byte) byte {
	first := cacheLine - s.offset%cacheLine // from the message's begin to its second line
	switch s.touch {
	case option.TouchRead:
		return func(b []byte) byte {
			sum := b[0]
			for at := first; at < len(b); at += cacheLine {
				sum += b[at]
			}
			return sum
		}
	case option.TouchWrite: // what it leaves is no marker of the slot's next message, see package message
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
