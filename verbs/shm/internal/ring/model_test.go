//go:build interleave

package ring

import (
	"math"
	"testing"

	"github.com/ibperf/ibperf/verbs/shm/internal/interleave"
)

// The ring has more slots than there are receives posted at a time.
const (
	slots = 4
	depth = 2
)

// model is a ring, with data that a message stores where its receive says. Fields are shared memory.
type model struct {
	posted  uint32
	polled  uint32
	where   [slots]int // of the data of each receive
	data    [depth]uint64
	records [slots]Record
	first   uint32 // number of the first receive
}

// newModel returns a model after a number of receives.
func newModel(first uint32) *model {
	m := &model{first: first, posted: first, polled: first}
	for i := first - slots; first > 0 && i != first; i++ {
		m.records[i%slots][1] = Second(0, i)
	}
	return m
}

// post posts receive i.
func (m *model) post(i uint32) {
	interleave.Step()
	m.where[i%slots] = place(i)
	Post(&m.posted, i+1)
}

// place is the place of the data of a receive, which no other one has that is posted at the same time.
func place(i uint32) int { return int(i % depth) }

// owner posts and polls n receives.
func (m *model) owner(n uint32, post func(i uint32)) func() {
	return func() {
		end, next := m.first+n, m.first
		for m.polled != end {
			for next != end && next-m.polled < depth {
				post(next)
				next++
			}
			m.poll()
		}
	}
}

// poll awaits the record of the next receive, and checks its data.
func (m *model) poll() {
	i := m.polled
	r := &m.records[i%slots]
	interleave.Await(func() bool { return uint32(r[1]>>NumberAt) == i+1 })
	if _, published := r.Published(i); !published {
		interleave.Failf("the record of receive %d is there and is not published", i)
	}
	w0 := r.First()
	interleave.Step()
	if got := m.data[place(i)]; w0 != value(i) || got != value(i) {
		interleave.Failf("receive %d has the record %#x and the data %#x, want %#x", i, w0, got, value(i))
	}
	interleave.Step()
	m.polled++
}

// value returns what message i has.
func value(i uint32) uint64 { return uint64(i) ^ 0xabcd }

// peer completes n receives. publish stores the data and the record.
func (m *model) peer(n uint32, publish func(i uint32, where int)) func() {
	return func() {
		for i := m.first; i != m.first+n; i++ {
			interleave.Await(func() bool { return m.posted != i })
			if Posted(&m.posted) == i {
				interleave.Failf("receive %d is not posted", i)
			}
			interleave.Step()
			publish(i, m.where[i%slots])
		}
	}
}

func (m *model) store(i uint32, where int) {
	interleave.Step()
	m.data[where] = value(i)
}

func (m *model) dataThenRecord(fenced bool) func(i uint32, where int) {
	return func(i uint32, where int) {
		m.store(i, where)
		if r := &m.records[i%slots]; fenced {
			r.PublishFenced(value(i), Second(0, i))
		} else {
			r.Publish(value(i), Second(0, i))
		}
	}
}

// starts are the numbers of the first receive: the first of all, and one before the wrap.
var starts = []uint32{0, math.MaxUint32 - 1}

// TestEachReceiveHasItsMessage covers all orders of an owner and a peer with two receives, and of six those with up to three
// preemptions, in which slots are posted again.
func TestEachReceiveHasItsMessage(t *testing.T) {
	for _, fenced := range []bool{false, true} {
		for _, first := range starts {
			run := func(n uint32) func() interleave.Run {
				return func() interleave.Run {
					m := newModel(first)
					return interleave.Run{Parties: []func(){m.owner(n, m.post), m.peer(n, m.dataThenRecord(fenced))}}
				}
			}
			all, err := interleave.All(1_000_000, run(2))
			if err != nil {
				t.Error(err)
			}
			preempted, err := interleave.Preempted(3, 1_000_000, run(6))
			if err != nil {
				t.Error(err)
			}
			t.Logf("from receive %d: all orders of two receives: %d, of six with three preemptions: %d", first, all, preempted)
		}
	}
}

// TestPostingAndPollingByTwoThreads covers that one thread of the owner may post while another one polls.
func TestPostingAndPollingByTwoThreads(t *testing.T) {
	const n = 4
	begin := func() interleave.Run {
		m := newModel(0)
		poster := func() {
			for i := range uint32(n) {
				interleave.Await(func() bool { return i-m.polled < depth })
				m.post(i)
			}
		}
		poller := func() {
			for range n {
				m.poll()
			}
		}
		return interleave.Run{Parties: []func(){poster, poller, m.peer(n, m.dataThenRecord(true))}}
	}
	orders, err := interleave.Preempted(2, 1_000_000, begin)
	t.Logf("%d orders with two preemptions", orders)
	if err != nil {
		t.Error(err)
	}
	if err := interleave.Random(1, 20_000, begin); err != nil {
		t.Error(err)
	}
}

// TestWrongOrdersAreFound: each step is needed where it is.
func TestWrongOrdersAreFound(t *testing.T) {
	run := func(post func(m *model) func(uint32), publish func(m *model) func(uint32, int)) func() interleave.Run {
		return func() interleave.Run {
			m := newModel(0)
			return interleave.Run{Parties: []func(){m.owner(4, post(m)), m.peer(4, publish(m))}}
		}
	}
	rightPost := func(m *model) func(uint32) { return m.post }
	rightPublish := func(m *model) func(uint32, int) { return m.dataThenRecord(true) }
	for name, begin := range map[string]func() interleave.Run{
		"the number before the slot": run(func(m *model) func(uint32) {
			return func(i uint32) {
				Post(&m.posted, i+1)
				interleave.Step()
				m.where[i%slots] = place(i)
			}
		}, rightPublish),
		"the record before the data": run(rightPost, func(m *model) func(uint32, int) {
			return func(i uint32, where int) {
				m.records[i%slots].Publish(value(i), Second(0, i))
				m.store(i, where)
			}
		}),
		"the second word before the first": run(rightPost, func(m *model) func(uint32, int) {
			return func(i uint32, where int) {
				m.store(i, where)
				r := &m.records[i%slots]
				interleave.Step()
				r[1] = Second(0, i)
				interleave.Step()
				r[0] = value(i)
			}
		}),
	} {
		if _, err := interleave.All(1_000_000, begin); err == nil {
			t.Errorf("%s is not found", name)
		}
	}
}
