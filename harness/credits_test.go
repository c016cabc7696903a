package harness

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// creditsOf runs a bandwidth plan of one size and returns the numbers of messages and of the
// receiver's credits.
func creditsOf(t *testing.T, p option.Plan) (messages, credits uint64) {
	t.Helper()
	var sent, returned atomic.Uint64
	watch := func(side int, ctx verbs.Context) verbs.Context {
		return testdevice.Context(ctx, testdevice.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
			switch n := testdevice.Length(wr); {
			case side == 0 && n == uint64(p.Sizes[0]):
				sent.Add(1)
			case side == 1 && n == message.CreditBytes:
				returned.Add(1)
			}
		}})
	}
	if _, errs := (pair{device: "shm_whole", plan: p, wrap: watch}).run(t); errs != [2]error{} {
		t.Fatal(errs)
	}
	return sent.Load(), returned.Load()
}

// A receiver returns a credit for each quarter of its ring in every mode, however many messages a
// poll finds. With fewer credits the sender of one mode would wait longer than that of another.
func TestCreditsComeAsOftenInEveryMode(t *testing.T) {
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
						c := testcase.NewSet(p).Case(testcase.Mode{Completion: mode}, size, testcase.Answers{Order: verbs.OrderNone})
						quarter := uint64(max(1, c.Slots/4))
						messages, credits := creditsOf(t, p)
						// A receive that completes a moment after its data was seen counts for the next credit, so
						// mode data has fewer credits, by up to an eighth on a quiet machine.
						if want := messages / quarter; credits < want*2/3 || credits > want {
							t.Errorf("%d slots: %d messages and %d credits, want one for each %d messages", c.Slots, messages, credits, quarter)
						}
					})
				}
			}
		}
	}
}
