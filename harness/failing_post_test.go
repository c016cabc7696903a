package harness

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// faulty is a device whose QPs fail every post after the first 40.
type (
	faulty   struct{ verbs.Context }
	faultyPD struct{ verbs.PD }
	faultyQP struct {
		verbs.QP
		left int
	}
)

func (f faulty) AllocPD() (verbs.PD, error) {
	pd, err := f.Context.AllocPD()
	return faultyPD{pd}, err
}

func (f faultyPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	qp, err := f.PD.CreateQP(init)
	return &faultyQP{QP: qp, left: 40}, err
}

func (f *faultyQP) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	if f.left--; f.left < 0 {
		return wr, &verbs.OpError{Verb: "post_send", Object: "faulty qp", Errno: syscall.EIO}
	}
	return f.QP.PostSend(wr)
}

// A failed post of one side ends both sides, and both errors name it: neither side waits for
// messages that will not arrive.
func TestErrorOfOneSideEndsBoth(t *testing.T) {
	eachTest(t, func(t *testing.T, op option.Op, kind option.Kind) {
		for side := range 2 {
			fail := func(i int, c verbs.Context) verbs.Context {
				if i == side {
					return faulty{c}
				}
				return c
			}
			for _, mode := range modes() {
				p := testPlan(op, kind, 64, 20_000)
				p.Completion, p.TxDepth = mode, 4
				posts := side == 0 || op != option.OpRead && (kind == "lat" || mode == option.ModeData)
				_, errs := pair{device: "shm_whole", plan: p, wrap: fail}.run(t)
				for i, err := range errs {
					if posts != (err != nil) || posts && !strings.Contains(err.Error(), "post_send faulty qp") {
						t.Errorf("side %d fails, mode %s: side %d: %v", side, mode, i, err)
					}
				}
			}
		}
	})
}
