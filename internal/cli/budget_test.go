package cli

import (
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
	// What the others have taken comes back: the client is to come again.
	_, err := b.take(&p)
	wantEnd(t, "a third run", err, StatusPeer, "the server's other runs, 2 at present, leave 0 MiB of memory and 1 QPs")
	if class, _ := reason(err); class != classBusy {
		t.Errorf("a third run is refused with class %q", class)
	}
	gives[0]()
	if give, err := b.take(&p); err != nil {
		t.Errorf("after one has ended: %v", err)
	} else {
		give()
	}
	gives[1]()
	if b.taken != (harness.Need{}) || b.runs != 0 {
		t.Errorf("%+v is taken of %d runs", b.taken, b.runs)
	}
	// What is more than all of it never fits.
	many := p
	many.QPs, many.Sizes, many.TxDepth, many.RxDepth = 4, []int{1}, 1, 1
	_, err = b.take(&many)
	wantEnd(t, "many QPs", err, StatusUsage, "the run has 4 QPs, and the server allows 3 (--max-qp)")
	p.Sizes = []int{1 << 30}
	_, err = b.take(&p)
	wantEnd(t, "large messages", err, StatusUsage, "messages of up to 1073741824 bytes on 1 QPs need", "on the server", "--max-memory")
}

// Without options a server allows every legal number of QPs, in a comparison too.
func TestDefaultBudget(t *testing.T) {
	own := option.New(writeBW).Own
	p := option.Defaults(writeBW)
	p.QPs, p.Compare, p.Sizes, p.TxDepth, p.RxDepth = option.MaxQPs, true, []int{1}, 1, 1
	p.Also = []string{option.AlsoControl, option.AlsoLook, option.AlsoRelaxed}
	if need := harness.NeedOf(p); need.QPs > own.MaxQPs {
		t.Errorf("%d QPs are possible, and %d allowed", need.QPs, own.MaxQPs)
	}
	err := checkMemory(&option.Plan{Test: writeBW, Sizes: []int{2, option.MaxSize}, QPs: option.MaxQPs, TxDepth: 128, RxDepth: 512})
	wantEnd(t, "the largest plan on a client", err, StatusUsage, "on the client", "choose smaller sizes or fewer QPs")
}
