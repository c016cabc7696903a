package cli

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
)

func TestBudget(t *testing.T) {
	p := option.Defaults(writeBW)
	need := harness.NeedOf(p)
	b := newBudget(&option.Own{MaxMemory: 2*need.Memory + 1, MaxQPs: 3})
	var gives []func()
	for range 2 {
		give, err := b.take(&p)
		if err != nil {
			t.Fatal(err)
		}
		gives = append(gives, give)
	}
	_, err := b.take(&p)
	wantEnd(t, "a third run", err, StatusUsage, "need", "0 MiB of this machine may be taken beside the other runs, 2 at present", "--max-memory")
	gives[0]()
	many := p
	many.QPs, many.Sizes, many.TxDepth, many.RxDepth = 3, []int{1}, 1, 1
	_, err = b.take(&many)
	wantEnd(t, "a run with many QPs", err, StatusUsage, "the run has 3 QPs, and there may be 2 beside", "--max-qp")
	if _, err := b.take(&p); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// Without options half of the machine may be taken, and no plan is too large to be counted.
func TestBudgetOfTheMachine(t *testing.T) {
	b := newBudget(&option.Own{MaxQPs: option.MaxQPs})
	p := option.Defaults(writeBW)
	give, err := b.take(&p)
	if err != nil {
		t.Fatal(err)
	}
	give()
	p.Sizes, p.QPs = []int{2, option.MaxSize}, option.MaxQPs
	if _, err = b.take(&p); err == nil || !strings.Contains(err.Error(), "choose smaller sizes or fewer QPs") {
		t.Errorf("the largest plan: %v", err)
	}
	if b.taken != (harness.Need{}) || b.runs != 0 {
		t.Errorf("%+v is taken of %d runs", b.taken, b.runs)
	}
}
