package cli

import (
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
)

// resolved returns a plan checked with default options of the side.
func resolved(t *testing.T, p option.Plan) option.ResolvedPlan {
	t.Helper()
	s := option.New(p.Test)
	s.Plan = p
	r, err := s.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBudget(t *testing.T) {
	p := option.Defaults(writeBW)
	need := harness.PlanFootprint(resolved(t, p))
	b := newBudget(&option.Own{MaxMemory: 2*need.Memory + 1, MaxQPs: 3})
	var gives []func()
	for range 2 {
		give, err := b.take(resolved(t, p))
		if err != nil {
			t.Fatal(err)
		}
		gives = append(gives, give)
	}
	// Other runs release their memory: the client tries again.
	_, err := b.take(resolved(t, p))
	wantEnd(t, "a third run", err, StatusPeer, "server busy: its 2 other runs leave 0 MiB of memory, 1 QPs and ")
	if class, _ := reason(err); class != classBusy {
		t.Errorf("a third run is refused with class %q", class)
	}
	gives[0]()
	if give, err := b.take(resolved(t, p)); err != nil {
		t.Errorf("after one has ended: %v", err)
	} else {
		give()
	}
	gives[1]()
	if b.taken != (harness.Footprint{}) || b.runs != 0 {
		t.Errorf("%+v is taken of %d runs", b.taken, b.runs)
	}
	// A run that needs more than the whole budget never fits.
	many := p
	many.QPs, many.Sizes, many.TxDepth, many.RxDepth = 4, []int{1}, 1, 1
	_, err = b.take(resolved(t, many))
	wantEnd(t, "many QPs", err, StatusUsage, "the run has 4 QPs, and the server allows 3 (--max-qp)")
	spinning := p
	spinning.Threads = 3
	b.limit = harness.Footprint{Memory: 1 << 40, QPs: 10, Threads: 4}
	give, err := b.take(resolved(t, spinning))
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.take(resolved(t, spinning))
	wantEnd(t, "more threads than are left", err, StatusPeer, "server busy: its 1 other runs leave", "7 QPs and 1 threads", "3 QPs and 3 threads")
	give()
	spinning.Threads = 5
	_, err = b.take(resolved(t, spinning))
	wantEnd(t, "many threads", err, StatusUsage, "the run has 5 measuring threads (--threads), and the server allows 4 on its CPUs")
	b.limit.Memory = 2*need.Memory + 1
	p.Sizes = []int{1 << 30}
	_, err = b.take(resolved(t, p))
	wantEnd(t, "large messages", err, StatusUsage, "messages of up to 1073741824 bytes on 1 QPs need", "the server allows", "--max-memory")
}

// Without options a server allows every legal number of QPs, in a comparison too.
func TestDefaultBudget(t *testing.T) {
	own := option.New(writeBW).Own
	p := option.Defaults(writeBW)
	p.QPs, p.Compare, p.Sizes, p.TxDepth, p.RxDepth = option.MaxQPs, true, []int{1}, 1, 1
	p.Also = option.Variants()
	if need := harness.PlanFootprint(resolved(t, p)); need.QPs > own.MaxQPs {
		t.Errorf("%d QPs are possible, and %d allowed", need.QPs, own.MaxQPs)
	}
	p = option.Defaults(writeBW)
	p.Sizes, p.QPs = []int{2, option.MaxSize}, option.MaxQPs
	err := checkMemory(resolved(t, p))
	wantEnd(t, "the largest plan on a client", err, StatusUsage, "the client allows", "choose smaller sizes or fewer QPs")
}
