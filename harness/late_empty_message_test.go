package harness

import (
	"errors"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// straggling is a device whose QPs send an empty message before every tenth message: one that has used up a
// receive at the end of a size, was counted as lost, and arrives late.
type (
	straggling   struct{ verbs.Context }
	stragglingPD struct{ verbs.PD }
	stragglingQP struct {
		verbs.QP
		posts int
	}
)

func (s straggling) AllocPD() (verbs.PD, error) {
	pd, err := s.Context.AllocPD()
	return stragglingPD{pd}, err
}

func (s stragglingPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	larger := *init
	larger.Cap.MaxSendWR *= 2
	qp, err := s.PD.CreateQP(&larger)
	return &stragglingQP{QP: qp}, err
}

func (s *stragglingQP) PostSend(wr *verbs.SendWR) (*verbs.SendWR, error) {
	if s.posts++; wr.Opcode == verbs.OpSendWithImm && s.posts%10 == 1 {
		late := *wr
		late.Opcode, late.SendFlags, late.NumSGE, late.SGList, late.Next = verbs.OpSend, 0, 0, nil, nil
		if bad, err := s.QP.PostSend(&late); err != nil {
			return bad, err
		}
	}
	return s.QP.PostSend(wr)
}

// TestLateEmptyMessagesAreNoData: an empty message that arrives after its size has ended is no message of the
// next size.
func TestLateEmptyMessagesAreNoData(t *testing.T) {
	for _, kind := range []option.Kind{option.KindBandwidth, option.KindLatency} {
		t.Run(string(kind), func(t *testing.T) {
			p := testPlan(option.OpSend, kind, 64, 200)
			p.Transport, p.Verify, p.RxDepth = option.UD, true, 512
			files, errs := pair{device: "shm_whole", plan: p, wrap: func(_ int, c verbs.Context) verbs.Context {
				return straggling{c}
			}}.run(t)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				for _, r := range f.Rows {
					checkArrived(t, &p, r.Verify.Messages, r.Verify.Bad(), r.Delivery != nil)
				}
			}
		})
	}
}
