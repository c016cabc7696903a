// Package arming decides which completions raise an event of a CQ.
//
// A CQ has a word, which only its owner writes: whether the CQ is armed, and the number of the arming. A thread that adds a
// completion, in any process, first stores it and then reads the word; if the CQ is armed, it writes a token with the number of
// the arming to the owner. The owner arms the CQ and then polls it once more. So either that poll finds the completion, or the
// thread finds the CQ armed. The first token of an arming is its event, and all others are stale.
package arming

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/shm/internal/interleave"
)

// A Word holds the arm state of a CQ, and above it the number of the arming.
type Word = uint64

const (
	unarmed      = 0
	forAny       = 1
	forSolicited = 2
	mask         = 3
	shift        = 2
)

// Arm arms the CQ for one event; a request for any completion overrides one for solicited completions. Each arming has a
// number, which distinguishes current tokens from stale ones.
func Arm(word *Word, solicitedOnly bool) {
	for {
		interleave.Step()
		w := atomic.LoadUint64(word)
		want := uint64(forAny)
		if solicitedOnly && w&mask != forAny {
			want = forSolicited
		}
		interleave.Step()
		if atomic.CompareAndSwapUint64(word, w, (w>>shift+1)<<shift|want) {
			return
		}
	}
}

// Armed reports whether the CQ is armed, so that its owner may be asleep.
func Armed(word *Word) bool {
	interleave.Step()
	return atomic.LoadUint64(word)&mask != unarmed
}

// Number returns the number of the last arming.
func Number(word *Word) uint64 {
	interleave.Step()
	return atomic.LoadUint64(word) >> shift
}

// Disarm makes the CQ unarmed, and returns the number of the last arming.
func Disarm(word *Word) uint64 {
	number := Number(word)
	interleave.Step()
	atomic.StoreUint64(word, number<<shift|unarmed)
	return number
}

// Wants reports whether the CQ is armed for a completion that is stored already, with a full fence, and returns the number
// of the arming.
func Wants(word *Word, solicited bool) (number uint64, wants bool) {
	interleave.Step()
	w := atomic.LoadUint64(word)
	a := w & mask
	return w >> shift, a == forAny || a == forSolicited && solicited
}

// Written is the last arming for which a process wrote a token.
type Written struct{ last atomic.Uint64 }

// First reports whether the process has written no token of the arming, and notes that it does so now.
func (t *Written) First(number uint64) bool {
	interleave.Step()
	return t.last.Swap(number) != number
}

// IsLast reports whether no token of another arming was written since.
func (t *Written) IsLast(number uint64) bool {
	interleave.Step()
	return t.last.Load() == number
}

// Taken is the last arming that became an event. A lock of the owner guards it.
type Taken struct{ Last uint64 }

// Take reports whether the token of an arming is an event, and if so disarms the CQ unless it was armed again.
func (t *Taken) Take(word *Word, number uint64) bool {
	interleave.Step()
	w := atomic.LoadUint64(word)
	if number <= t.Last || number > w>>shift {
		return false
	}
	t.Last = number
	if number == w>>shift {
		interleave.Step()
		atomic.CompareAndSwapUint64(word, w, number<<shift|unarmed)
	}
	return true
}
