//go:build interleave

package arming

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/verbs/shm/internal/interleave"
)

// model is a CQ with a pipe of tokens. Fields are shared memory.
type model struct {
	word        Word
	completions int
	tokens      []uint64
	events      int
	armings     int
	solicited   bool // the owner arms for solicited completions only, and all are
}

// store adds a completion.
func (m *model) store() {
	interleave.Step()
	m.completions++
}

// poll removes all completions, and returns their number.
func (m *model) poll() (n int) {
	interleave.Step()
	n, m.completions = m.completions, 0
	return n
}

// token writes a token if the CQ is armed and the process has written none.
func (m *model) token(w *Written) {
	if number, wants := Wants(&m.word, m.solicited); wants && w.First(number) {
		interleave.Step()
		m.tokens = append(m.tokens, number)
	}
}

// producer adds n completions.
func (m *model) producer(n int) func() {
	return func() {
		w := &Written{}
		for range n {
			m.store()
			m.token(w)
		}
	}
}

// owner waits for events until it has polled n completions. arm arms the CQ, and returns the number of completions that it
// polls meanwhile.
func (m *model) owner(n int, arm func(m *model) int) func() {
	return func() {
		taken := &Taken{}
		for got := 0; ; {
			if got += m.poll(); got >= n {
				return
			}
			m.armings++
			if got += arm(m); got >= n {
				return
			}
			for event := false; !event; {
				interleave.Await(func() bool { return len(m.tokens) > 0 })
				number := m.tokens[0]
				m.tokens = m.tokens[1:]
				event = taken.Take(&m.word, number)
			}
			m.events++
		}
	}
}

// armThenPoll is the right way to arm.
func armThenPoll(m *model) int {
	Arm(&m.word, m.solicited)
	return m.poll()
}

// check returns an error if there were more events than armings.
func (m *model) check() error {
	if m.events > m.armings {
		return fmt.Errorf("%d events of %d armings", m.events, m.armings)
	}
	return nil
}

// runOf returns a run of producers of some completions each and an owner that waits for all.
func runOf(producers, each int, solicitedOnly bool, arm func(*model) int) func() interleave.Run {
	return func() interleave.Run {
		m := &model{solicited: solicitedOnly}
		run := interleave.Run{Parties: []func(){m.owner(producers*each, arm)}, Check: m.check}
		for range producers {
			run.Parties = append(run.Parties, m.producer(each))
		}
		return run
	}
}

// TestNoWakeUpIsLost covers all orders of an owner and a producer, those of two producers with up to three preemptions, and
// random ones of four. An owner that waits for a token that does not come fails the run.
func TestNoWakeUpIsLost(t *testing.T) {
	for _, solicitedOnly := range []bool{false, true} {
		orders, err := interleave.All(1_000_000, runOf(1, 2, solicitedOnly, armThenPoll))
		t.Logf("all orders of one producer: %d", orders)
		if err != nil {
			t.Error(err)
		}
		orders, err = interleave.Preempted(3, 1_000_000, runOf(2, 2, solicitedOnly, armThenPoll))
		t.Logf("orders of two producers with three preemptions: %d", orders)
		if err != nil {
			t.Error(err)
		}
		if err := interleave.Random(1, 20_000, runOf(4, 3, solicitedOnly, armThenPoll)); err != nil {
			t.Error(err)
		}
	}
}

// TestDeadProducer covers that a producer that dies before it has written its token does not suppress the event of another
// producer's completion.
func TestDeadProducer(t *testing.T) {
	orders, err := interleave.All(1_000_000, func() interleave.Run {
		m := &model{}
		dying := func() {
			if number, wants := Wants(&m.word, false); wants {
				(&Written{}).First(number)
			}
		}
		return interleave.Run{Parties: []func(){m.owner(1, armThenPoll), dying, m.producer(1)}, Check: m.check}
	})
	t.Logf("%d orders", orders)
	if err != nil {
		t.Error(err)
	}
}

// TestTwoArmers covers that of two threads that arm a CQ, for solicited and for any completions, the latter prevails, whose
// token is an event.
func TestTwoArmers(t *testing.T) {
	orders, err := interleave.All(1_000_000, func() interleave.Run {
		m := &model{}
		arm := func(solicitedOnly bool) func() { return func() { Arm(&m.word, solicitedOnly) } }
		return interleave.Run{Parties: []func(){arm(true), arm(false)}, Check: func() error {
			number, wants := Wants(&m.word, false)
			if !wants || number != 2 {
				return fmt.Errorf("arming %d wants any completion: %v", number, wants)
			}
			var taken Taken
			if !taken.Take(&m.word, 1) || !Armed(&m.word) || !taken.Take(&m.word, 2) || Armed(&m.word) || taken.Take(&m.word, 2) {
				return errors.New("the tokens of two armings are not two events")
			}
			return nil
		}}
	})
	t.Logf("%d orders", orders)
	if err != nil {
		t.Error(err)
	}
}

// TestWrongOrdersAreFound: each step is needed where it is.
func TestWrongOrdersAreFound(t *testing.T) {
	noPoll := func(m *model) int {
		Arm(&m.word, false)
		return 0
	}
	pollThenArm := func(m *model) int {
		n := m.poll()
		Arm(&m.word, false)
		return n
	}
	tokenFirst := func() interleave.Run {
		m := &model{}
		return interleave.Run{Parties: []func(){m.owner(1, armThenPoll), func() {
			m.token(&Written{})
			m.store()
		}}}
	}
	for name, begin := range map[string]func() interleave.Run{
		"no poll after arming": runOf(1, 2, false, noPoll), "arming after the last poll": runOf(1, 2, false, pollThenArm), "the token before the completion": tokenFirst,
	} {
		if _, err := interleave.All(1_000_000, begin); err == nil {
			t.Errorf("%s is not found", name)
		}
	}
}
