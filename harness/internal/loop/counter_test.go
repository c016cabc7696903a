package loop

import (
	"math"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// fakeCounter is a completion counter that is read as set.
type fakeCounter struct {
	verbs.CompCounter
	value uint64
}

func (c *fakeCounter) ReadSpin(uint64, int) (uint64, error) { return c.value, nil }

// fakeQP is a QP with a number.
type fakeQP struct{ verbs.QP }

func (fakeQP) QPNum() uint32 { return 7 }

// TestCountersWrap: a counter that wraps at its largest value has counted on.
func TestCountersWrap(t *testing.T) {
	for _, most := range []uint64{255, 1<<32 - 1, math.MaxUint64} {
		c := &fakeCounter{value: most - 2}
		n := &writeCount{counter: c, most: most, value: most - 2}
		for _, step := range []struct{ value, total uint64 }{{most, 2}, {most, 2}, {0, 3}, {4, 7}} {
			c.value = step.value
			if err := n.read(1); err != nil || n.total != step.total {
				t.Errorf("largest value %d: %d WRITEs at %d, error %v; want %d", most, n.total, step.value, err, step.total)
			}
		}
	}
}

// TestMessagesOfACounter: a receiver has as many messages as WRITEs were counted since the last size.
func TestMessagesOfACounter(t *testing.T) {
	c := &fakeCounter{value: 10}
	i := &receiver{flow: &Flow{qp: fakeQP{}}, writes: &writeCount{counter: c, most: math.MaxUint64, value: 8, total: 8}, countedBefore: 7, arrived: 1}
	if n, err := i.ready(1); n != 2 || err != nil {
		t.Errorf("%d messages, error %v; want 2", n, err)
	}
	if err := i.checkCount(); err == nil {
		t.Error("no error of a counter that is ahead of the messages")
	}
	i.arrived = 3
	if err := i.checkCount(); err != nil {
		t.Error(err)
	}
}

// TestLastRequestIsNotCounted: the request that ends a round is no WRITE where WRITEs are counted.
func TestLastRequestIsNotCounted(t *testing.T) {
	for _, m := range option.Modes() {
		if got := lastOpcode(testcase.Mode{Completion: m}); (got == verbs.OpRDMAWrite) == (m == option.ModeCounter) {
			t.Errorf("mode %s: %s", m, got)
		}
	}
}
