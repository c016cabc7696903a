package shm_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// catchPanic calls f and returns a panic as an error.
func catchPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// invalidSGLists returns requests with invalid lists of SGEs, by what is wrong with them.
func (s *side) invalidSGLists() map[string]verbs.SendWR {
	sge := s.SGE(0, 64)
	nowhere, page, wraps := sge, sge, sge
	nowhere.Addr, page.Addr, wraps.Addr = 0, pageSize-1, ^uint64(0)-8
	return map[string]verbs.SendWR{
		"no list of one":       {NumSGE: 1},
		"no list of two":       {NumSGE: 2},
		"a negative number":    {NumSGE: -1, SGList: &sge},
		"a huge number":        {NumSGE: 1<<31 - 1, SGList: &sge},
		"inline, no list":      {NumSGE: 1, SendFlags: verbs.SendInline},
		"inline, no address":   {NumSGE: 1, SGList: &nowhere, SendFlags: verbs.SendInline},
		"inline, first page":   {NumSGE: 1, SGList: &page, SendFlags: verbs.SendInline},
		"inline, wraps around": {NumSGE: 1, SGList: &wraps, SendFlags: verbs.SendInline},
	}
}

// TestInvalidSendSGLists covers that an invalid list is rejected, on a new QP and on one with a
// filled region cache, and that the QP keeps working.
func TestInvalidSendSGLists(t *testing.T) {
	ops := []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpSendWithImm, verbs.OpRDMARead}
	for _, device := range []string{"shm_whole", "shm_unordered"} {
		c := conf()
		c.device = device
		a, b := pair(t, c)
		for _, when := range []string{"cold", "warm"} {
			for _, op := range ops {
				for name, wr := range a.invalidSGLists() {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", device, when, op, name), func(t *testing.T) {
						wr.Opcode = op
						wr.SetRDMA(b.MR.Addr(), b.MR.RKey())
						err := catchPanic(func() error { _, err := a.QP.PostSend(&wr); return err })
						if !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EFAULT) {
							t.Fatalf("post_send: %v, want EINVAL or EFAULT", err)
						}
					})
					if t.Failed() {
						return // a panic leaves the QP locked
					}
				}
			}
			a.useAllOps(t, b)
		}
	}
}

// TestInvalidReceiveSGLists covers the same for receives.
func TestInvalidReceiveSGLists(t *testing.T) {
	s := newSide(t, conf())
	s.To(verbs.QPInit, s)
	srq := must(s.PD.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 4}}))(t)
	t.Cleanup(func() { noError(t, srq.Close()) })
	for name, wr := range s.invalidSGLists() {
		if wr.SendFlags != 0 {
			continue
		}
		for to, queue := range map[string]receiver{"QP": s.QP, "SRQ": srq} {
			t.Run(to+"/"+name, func(t *testing.T) {
				wr := verbs.RecvWR{SGList: wr.SGList, NumSGE: wr.NumSGE}
				bad, err := queue.PostRecv(&wr)
				wantErrno(t, err, syscall.EINVAL)
				if bad != &wr {
					t.Error("bad_wr is another request")
				}
			})
		}
	}
}

// TestEmptyPostLists covers that posting an empty list succeeds.
func TestEmptyPostLists(t *testing.T) {
	a, b := pair(t, conf())
	a.useAllOps(t, b)
	for _, err := range []error{
		catchPanic(func() error { _, err := a.QP.PostSend(nil); return err }),
		catchPanic(func() error { _, err := a.QP.PostRecv(nil); return err }),
	} {
		noError(t, err)
	}
}
