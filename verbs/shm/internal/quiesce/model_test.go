//go:build interleave

package quiesce

import (
	"testing"

	"github.com/ibperf/ibperf/verbs/shm/internal/interleave"
)

// A model has an object that an owner ends, and requesters that use it as long as they find it. Fields are shared memory.
type model struct {
	words   []uint32
	changes uint64
	removed bool // from the tables
	freed   bool
}

// requester executes some requests, each of which uses the object in two accesses if the copy of the tables has it.
// refresh fills the copy.
func (m *model) requester(word *uint32, requests int, refresh func(word *uint32) (has bool, changes uint64)) func() {
	return func() {
		has, changes := false, ^uint64(0) // a copy that is never valid
		for range requests {
			interleave.Await(func() bool { return *word&1 == 0 })
			if !TryEnter(word) {
				continue
			}
			if Difference(&m.changes, changes) != 0 {
				has, changes = refresh(word)
			}
			for range 2 {
				interleave.Step()
				if has && m.freed {
					interleave.Failf("a requester uses the object after its end")
				}
			}
			Leave(word)
		}
	}
}

// refresh is the right way to fill the copy.
func (m *model) refresh(word *uint32) (has bool, changes uint64) {
	Restart(word)
	changes = Changes(&m.changes)
	interleave.Step()
	return !m.removed, changes
}

// readBeforeRestart fills the copy in the wrong order.
func (m *model) readBeforeRestart(word *uint32) (has bool, changes uint64) {
	changes = Changes(&m.changes)
	interleave.Step()
	has = !m.removed
	Restart(word)
	return has, changes
}

// readBeforeChanges fills the copy in another wrong order.
func (m *model) readBeforeChanges(word *uint32) (has bool, changes uint64) {
	Restart(word)
	interleave.Step()
	has = !m.removed
	return has, Changes(&m.changes)
}

// owner ends the object in the given order of steps, and then frees it.
func (m *model) owner(steps ...func(m *model)) func() {
	return func() {
		for _, step := range steps {
			step(m)
		}
		interleave.Step()
		m.freed = true
	}
}

// The steps of an owner.
func remove(m *model) {
	interleave.Step()
	m.removed = true
}

func announce(m *model) { Announce(&m.changes) }

func await(m *model) {
	for i := range m.words {
		if seq, executes := Observe(&m.words[i]); executes {
			interleave.Await(func() bool { return m.words[i] != seq })
		}
	}
}

// runOf returns a run of an owner and of requesters with some requests each.
func runOf(requesters, requests int, refresh func(*model) func(*uint32) (bool, uint64), steps ...func(*model)) func() interleave.Run {
	return func() interleave.Run {
		m := &model{words: make([]uint32, requesters)}
		run := interleave.Run{Parties: []func(){m.owner(steps...)}}
		for i := range m.words {
			run.Parties = append(run.Parties, m.requester(&m.words[i], requests, refresh(m)))
		}
		return run
	}
}

func right(m *model) func(*uint32) (bool, uint64) { return m.refresh }

// TestNoUseAfterTheEnd covers all orders of an owner and one requester with two requests, those of two requesters with up
// to three preemptions, and random ones of four.
func TestNoUseAfterTheEnd(t *testing.T) {
	orders, err := interleave.All(1_000_000, runOf(1, 2, right, remove, announce, await))
	t.Logf("all orders of one requester: %d", orders)
	if err != nil {
		t.Error(err)
	}
	orders, err = interleave.Preempted(3, 1_000_000, runOf(2, 2, right, remove, announce, await))
	t.Logf("orders of two requesters with three preemptions: %d", orders)
	if err != nil {
		t.Error(err)
	}
	if err := interleave.Random(1, 20_000, runOf(4, 4, right, remove, announce, await)); err != nil {
		t.Error(err)
	}
}

// TestTwoThreadsOfOneRequester covers that one of them executes at a time.
func TestTwoThreadsOfOneRequester(t *testing.T) {
	orders, err := interleave.All(2_000_000, func() interleave.Run {
		var word uint32
		inside := 0
		thread := func() {
			for !TryEnter(&word) {
				interleave.Await(func() bool { return word&1 == 0 })
			}
			interleave.Step()
			if inside++; inside > 1 {
				interleave.Failf("two threads execute")
			}
			interleave.Step()
			inside--
			Leave(&word)
		}
		return interleave.Run{Parties: []func(){thread, thread}}
	})
	t.Logf("%d orders", orders)
	if err != nil {
		t.Error(err)
	}
}

// TestWrongOrdersAreFound: each step is needed where it is.
func TestWrongOrdersAreFound(t *testing.T) {
	for name, begin := range map[string]func() interleave.Run{
		"no announcement":              runOf(1, 2, right, remove, await),
		"no waiting":                   runOf(1, 2, right, remove, announce),
		"waiting before the change":    runOf(1, 2, right, await, remove, announce),
		"waiting before announcing":    runOf(1, 2, right, remove, await, announce),
		"announcing before the change": runOf(1, 2, right, announce, remove, await),
		"a copy before the restart":    runOf(1, 2, func(m *model) func(*uint32) (bool, uint64) { return m.readBeforeRestart }, remove, announce, await),
		"a copy before the number":     runOf(1, 2, func(m *model) func(*uint32) (bool, uint64) { return m.readBeforeChanges }, remove, announce, await),
	} {
		if _, err := interleave.All(2_000_000, begin); err == nil {
			t.Errorf("%s is not found", name)
		}
	}
}
