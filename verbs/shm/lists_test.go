package shm_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// caught calls f, and tells of a panic as of an error.
func caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// wrongLists are requests whose lists cannot be read, by what is wrong with them.
func (s *side) wrongLists() map[string]verbs.SendWR {
	sge := s.sge(0, 64)
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

// TestWrongLists: a list that cannot be read is refused, whether other requests came before it or
// not, and the QP goes on.
func TestWrongLists(t *testing.T) {
	ops := []verbs.Opcode{verbs.OpRDMAWrite, verbs.OpSend, verbs.OpSendWithImm, verbs.OpRDMARead}
	for _, device := range []string{"shm_whole", "shm_unordered"} {
		c := conf()
		c.device = device
		a, b := pair(t, c)
		for _, when := range []string{"cold", "warm"} {
			for _, op := range ops {
				for name, wr := range a.wrongLists() {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", device, when, op, name), func(t *testing.T) {
						wr.Opcode = op
						wr.SetRDMA(b.mr.Addr(), b.mr.RKey())
						err := caught(func() error { _, err := a.qp.PostSend(&wr); return err })
						if !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EFAULT) {
							t.Fatalf("post_send: %v, want EINVAL or EFAULT", err)
						}
					})
					if t.Failed() {
						return // a QP that a panic has left locked hangs
					}
				}
			}
			a.warm(t, b)
		}
	}
}

// TestWrongReceiveLists: as TestWrongLists, of receives.
func TestWrongReceiveLists(t *testing.T) {
	s := newSide(t, conf())
	s.to(t, verbs.QPInit, s)
	srq := must(s.pd.CreateSRQ(&verbs.SRQInitAttr{Attr: verbs.SRQAttr{MaxWR: 4, MaxSGE: 4}}))(t)
	t.Cleanup(func() { noError(t, srq.Close()) })
	for name, wr := range s.wrongLists() {
		if wr.SendFlags != 0 {
			continue
		}
		for to, queue := range map[string]receiver{"QP": s.qp, "SRQ": srq} {
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

// TestNoRequests: an empty list is no error.
func TestNoRequests(t *testing.T) {
	a, b := pair(t, conf())
	a.warm(t, b)
	for _, err := range []error{
		caught(func() error { _, err := a.qp.PostSend(nil); return err }),
		caught(func() error { _, err := a.qp.PostRecv(nil); return err }),
	} {
		noError(t, err)
	}
}
