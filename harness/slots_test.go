package harness

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/wrap"
)

// creditsOf runs a plan of one size in a stream, and returns how many messages were sent and
// how often the receiver told the sender of free slots.
func creditsOf(t *testing.T, p option.Plan) (messages, credits uint64) {
	t.Helper()
	var sent, told atomic.Uint64
	watch := func(side int, ctx verbs.Context) verbs.Context {
		return wrap.Context(ctx, wrap.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
			switch n := wrap.Length(wr); {
			case side == 0 && n == uint64(p.Sizes[0]):
				sent.Add(1)
			case side == 1 && n == creditBytes:
				told.Add(1)
			}
		}})
	}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	return sent.Load(), told.Load()
}

// A receiver returns slots as often in mode data as in mode poll, however many messages have
// arrived when it looks: or the sender of one mode waits where that of the other does not.
func TestSlotsAreReturnedAlike(t *testing.T) {
	for _, op := range []option.Op{option.OpWrite, option.OpSend} {
		for _, size := range []int{1 << 20, 1 << 16, 1 << 12} {
			for _, also := range []string{"--verify", "--touch write"} {
				for _, mode := range modes() {
					t.Run(fmt.Sprintf("%s_%d_%s_%s", op, size, also, mode), func(t *testing.T) {
						p := testPlan(op, option.KindBandwidth, size, 200)
						p.Completion = mode
						if p.Verify = also == "--verify"; !p.Verify {
							p.Touch = option.TouchWrite
						}
						s := resolve(&p, way{mode: mode}, size, verbs.OrderNone)
						quarter := uint64(max(1, s.slots/4))
						messages, credits := creditsOf(t, p)
						// Receives that complete a moment after their data was seen are told of with the next.
						if want := messages / quarter; credits < want*7/8-2 || credits > want {
							t.Errorf("%d slots: %d messages and %d credits, want one for each %d messages", s.slots, messages, credits, quarter)
						}
					})
				}
			}
		}
	}
}
