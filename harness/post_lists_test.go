package harness

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// posts counts what a side posted, by the number of requests in a list.
type posts struct {
	mu    sync.Mutex
	size  int // of a message; other sends do not count
	sends map[int]int
	recvs map[int]int
	now   map[verbs.QP]int // requests of the list that is being posted
	apart map[int]int      // by the distance in messages from one signaled send to the next
	since map[verbs.QP]int
}

// postsOf runs a plan and returns what each side posted.
func postsOf(t *testing.T, p option.Plan) (sides [2]*posts) {
	t.Helper()
	for i := range sides {
		sides[i] = &posts{size: p.Sizes[0], sends: map[int]int{}, recvs: map[int]int{}, apart: map[int]int{},
			now: map[verbs.QP]int{}, since: map[verbs.QP]int{}}
	}
	watch := func(side int, ctx verbs.Context) verbs.Context {
		return testdevice.Context(ctx, testdevice.Options{OnPostSend: sides[side].send, OnPostRecv: sides[side].recv})
	}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	return sides
}

func (s *posts) send(qp verbs.QP, wr *verbs.SendWR) {
	if testdevice.Length(wr) != uint64(s.size) {
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

// Sends and receives are posted in lists of --post_list and --recv_post_list requests, in every mode
// and at every queue depth; the last list of a round may be shorter. The sample has each length and
// depth with each operation, in one mode after another.
func TestPostLists(t *testing.T) {
	for o, op := range allOps {
		for m, mode := range modes() {
			for i, c := range []struct{ list, depth, mod, qps, n, size int }{
				{1, 128, 0, 1, 300, 8}, {16, 128, 0, 1, 320, 8}, {16, 128, 0, 3, 333, 8}, {64, 64, 0, 2, 1000, 8},
				{64, 10, 0, 1, 700, 8}, {32, 128, 100, 1, 1000, 8}, {32, 64, 8, 1, 640, 64}, {24, 128, 0, 1, 240, 65536},
			} {
				if !wholeMatrix && (o+i)%len(modes()) != m {
					continue
				}
				t.Run(fmt.Sprintf("%s_%s_%+v", op, mode, c), func(t *testing.T) {
					p := testPlan(op, option.KindBandwidth, c.size, uint64(c.n))
					p.Completion, p.PostList, p.RecvPostList = mode, c.list, c.list
					p.TxDepth, p.CQMod, p.QPs = c.depth, c.mod, c.qps
					sides := postsOf(t, p)
					if op == option.OpSend {
						// the first receives, and those after a round, need not be a multiple of the list's length
						checkLists(t, "receives", sides[1].recvs, c.list, 8*c.qps)
					}
					// A warm-up and a round have one shorter list of each QP.
					checkLists(t, "sends", sides[0].sends, c.list, 2*c.qps)
				})
			}
		}
	}
}

// checkLists checks that all lists have one length, except for a few shorter ones.
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

// One in every --cq-mod sends is signaled.
func TestDistanceOfSignaledSends(t *testing.T) {
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

// The receiver of a SEND latency test posts at least --rx-depth receives.
func TestReceivesOfALatencyTest(t *testing.T) {
	for _, depth := range []int{1, 512, 1000} {
		p := testPlan(option.OpSend, option.KindLatency, 8, 1200)
		p.RxDepth, p.Completion, p.Verify = depth, option.ModePoll, true
		got := sorted(postsOf(t, p)[1].recvs)
		slots := testcase.NewSet(p).Queues.Slots
		want := max(depth, slots)
		if most := got[len(got)-1]; most < want || most >= want+slots {
			t.Errorf("-r %d: %d receives were posted at first", depth, most)
		}
	}
}

// A bandwidth test posts --rx-depth receives. If the receiver checks each message it posts fewer, and
// warns of that.
func TestReceivesOfABandwidthTest(t *testing.T) {
	for _, verify := range []bool{false, true} {
		p := testPlan(option.OpSend, option.KindBandwidth, 65536, 2000)
		p.RxDepth, p.Verify = 1500, verify
		most := 0
		files, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
			return testdevice.Context(c, testdevice.Options{OnPostRecv: func(_ verbs.QP, list *verbs.RecvWR) {
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
