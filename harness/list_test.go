package harness

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// posts are what a side has posted, by the number of requests in a list.
type posts struct {
	mu    sync.Mutex
	size  int // of the messages; other sends are none
	sends map[int]int
	recvs map[int]int
	now   map[verbs.QP]int // requests of the list that is being posted
	apart map[int]int      // by the number of messages from one signaled one to the next
	since map[verbs.QP]int
}

// postsOf runs a plan and returns what each side has posted.
func postsOf(t *testing.T, p option.Plan) (sides [2]*posts) {
	t.Helper()
	for i := range sides {
		sides[i] = &posts{size: p.Sizes[0], sends: map[int]int{}, recvs: map[int]int{}, apart: map[int]int{},
			now: map[verbs.QP]int{}, since: map[verbs.QP]int{}}
	}
	watch := func(side int, ctx verbs.Context) verbs.Context {
		return wrap.Context(ctx, wrap.Options{OnPostSend: sides[side].send, OnPostRecv: sides[side].recv})
	}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	return sides
}

func (s *posts) send(qp verbs.QP, wr *verbs.SendWR) {
	if wrap.Length(wr) != uint64(s.size) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[qp]++
	if wr.Next == nil {
		s.sends[s.now[qp]]++
		s.now[qp] = 0
	}
	s.since[qp]++
	if wr.SendFlags&verbs.SendSignaled != 0 {
		s.apart[s.since[qp]]++
		s.since[qp] = 0
	}
}

func (s *posts) recv(_ verbs.QP, list *verbs.RecvWR) {
	n := 0
	for ; list != nil; list = list.Next {
		n++
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recvs[n]++
}

func sorted(lists map[int]int) []int { return slices.Sorted(maps.Keys(lists)) }

// Sends and receives go in lists of the length that is asked for, in every mode and however
// deep the queues are; the last list of a round may be shorter.
func TestPostLists(t *testing.T) {
	for _, op := range allOps {
		for _, mode := range modes() {
			for _, c := range []struct{ list, depth, mod, qps, n, size int }{
				{1, 128, 0, 1, 300, 8}, {16, 128, 0, 1, 320, 8}, {16, 128, 0, 3, 333, 8}, {64, 64, 0, 2, 1000, 8},
				{64, 10, 0, 1, 700, 8}, {32, 128, 100, 1, 1000, 8}, {32, 64, 8, 1, 640, 64}, {24, 128, 0, 1, 240, 65536},
			} {
				t.Run(fmt.Sprintf("%s_%s_%+v", op, mode, c), func(t *testing.T) {
					p := testPlan(op, option.KindBandwidth, c.size, uint64(c.n))
					p.Completion, p.PostList, p.RecvPostList = mode, c.list, c.list
					p.TxDepth, p.CQMod, p.QPs = c.depth, c.mod, c.qps
					sides := postsOf(t, p)
					if op == option.OpSend {
						// the first ones and those after a round need not be a whole number of lists
						checkLists(t, "receives", sides[1].recvs, c.list, 8*c.qps)
					}
					// A warm-up and a round have one shorter list of each QP.
					checkLists(t, "sends", sides[0].sends, c.list, 2*c.qps)
				})
			}
		}
	}
}

// checkLists wants lists of one length, but for a few shorter ones.
func checkLists(t *testing.T, what string, lists map[int]int, length, shorter int) {
	t.Helper()
	for n, times := range lists {
		if n > length {
			t.Errorf("%d lists of %d %s, want %d at most", times, n, what, length)
		}
		if n < length {
			shorter -= times
		}
	}
	if lists[length] == 0 || shorter < 0 {
		t.Errorf("%s in lists of %v, want %d", what, lists, length)
	}
}

// One send of so many is signaled.
func TestSignals(t *testing.T) {
	for _, kind := range allKinds {
		for _, op := range []option.Op{option.OpWrite, option.OpSend} {
			for _, mod := range []int{1, 7, 20} {
				p := testPlan(op, kind, 8, 400)
				p.CQMod, p.Completion = mod, option.ModePoll
				side := postsOf(t, p)[0]
				others := -side.apart[mod]
				for _, times := range side.apart {
					others += times
				}
				// A warm-up that ends by time has its last signal on an empty request.
				if side.apart[mod] < 400/mod-1 || others > 3 {
					t.Errorf("%s_%s -Q %d: signals are %v messages apart", op, kind, mod, side.apart)
				}
			}
		}
	}
}

// A latency test of SEND has as many receives posted as are asked for, at least.
func TestReceivesOfALatencyTest(t *testing.T) {
	for _, depth := range []int{1, 512, 3000} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 5000)
		p.RxDepth, p.Completion, p.Verify = depth, option.ModePoll, true
		got := sorted(postsOf(t, p)[1].recvs)
		want := max(depth, latSlots)
		if most := got[len(got)-1]; most < want || most >= want+latSlots {
			t.Errorf("-r %d: %d receives were posted at first", depth, most)
		}
	}
}

// A bandwidth test has as many receives as are asked for; where the receiver looks at each
// message it says how many there were.
func TestReceivesOfABandwidthTest(t *testing.T) {
	for _, verify := range []bool{false, true} {
		p := testPlan(option.OpSend, option.KindBandwidth, 65536, 2000)
		p.RxDepth, p.Verify = 1500, verify
		most := 0
		files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
			return wrap.Context(c, wrap.Options{OnPostRecv: func(_ verbs.QP, list *verbs.RecvWR) {
				n := 0
				for ; list != nil; list = list.Next {
					n++
				}
				if side == 1 {
					most = max(most, n)
				}
			}})
		}}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		warned := slices.ContainsFunc(onlyRow(t, files[0]).Warnings, func(w result.Warning) bool { return w.ID == "fewer-receives" })
		if most < p.RxDepth != verify || warned != verify {
			t.Errorf("verify %v: %d receives were posted at first, a warning: %v", verify, most, warned)
		}
	}
}
