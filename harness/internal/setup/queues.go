package setup

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/verbs"
)

// Queues are the completion queues, the shared receive queue and the connections of one measuring
// thread in one completion mode.
type Queues struct {
	Resources *Resources
	mode      testcase.Mode
	Position  int               // among the modes, in the order of creation
	Channel   verbs.CompChannel // nil unless the mode sleeps
	SendCQ    verbs.CQ
	RecvCQ    verbs.CQ
	domain    verbs.PD  // domain of the QPs
	parent    verbs.PD  // the same, if it is the parent domain of a thread domain; else nil
	td        verbs.TD  // thread domain of parent
	SRQ       verbs.SRQ // shared by the QPs; nil if each has a receive queue
	Conns     []*Conn
}

// build makes the queues and n connections, the first of which has the index.
func (q *Queues) build(n, index int) (err error) {
	r := q.Resources
	if q.mode.Sleeps() {
		if q.Channel, err = r.cfg.Context.CreateCompChannel(); err != nil {
			return err
		}
	}
	if q.SendCQ, err = r.cfg.Context.CreateCQ(r.sendEntries(n), q.Channel, r.cfg.Vector); err != nil {
		return r.explainVector(err)
	}
	if q.RecvCQ, err = r.cfg.Context.CreateCQ(r.recvEntries(n), q.Channel, r.cfg.Vector); err != nil {
		return err
	}
	if err := q.createSRQ(n); err != nil {
		return err
	}
	if err := q.openDomain(); err != nil {
		return err
	}
	for i := range n {
		qp, err := q.createQP()
		if err != nil {
			return err
		}
		c := &Conn{Resources: r, Queues: q, Index: index + i, QP: qp}
		q.Conns = append(q.Conns, c)
		if err := c.createRecvQP(); err != nil {
			return err
		}
		if err := c.addCounter(q.mode); err != nil {
			return err
		}
	}
	return nil
}

// sendEntries returns the size of a send CQ of n QPs: one completion for each request, so that the
// CQ does not overflow if all of them fail. If the device has no CQ of that size, it is that of the
// signaled requests: of messages, the last one, and one in every quarter of the credits.
func (r *Resources) sendEntries(n int) int {
	all := r.Set.Queues.Sends * n
	a, err := r.cfg.Context.QueryDevice()
	if err != nil || all <= a.MaxCQE {
		return all
	}
	return max(a.MaxCQE, (r.Set.Signaled()+4+2)*n)
}

// recvEntries returns the size of a receive CQ of n QPs: one completion for each receive, up to the
// largest CQ of the device.
func (r *Resources) recvEntries(n int) int {
	if !r.Set.UsesReceives() {
		return 1
	}
	all := r.Set.Queues.Recvs * n
	if a, err := r.cfg.Context.QueryDevice(); err == nil && a.MaxCQE > 0 {
		return min(all, a.MaxCQE)
	}
	return all
}

// explainVector adds the valid completion vectors to an error that an invalid one may have caused.
func (r *Resources) explainVector(err error) error {
	a, failed := r.cfg.Context.QueryDevice()
	if failed != nil || r.cfg.Vector < a.NumCompVectors {
		return err
	}
	return fmt.Errorf("%w; completion vectors are 0 to %d, see --vector", err, a.NumCompVectors-1)
}

// createQP creates a QP with the largest of the wanted sizes of inline data that the device grants. A
// device does not report its limit.
func (q *Queues) createQP() (verbs.QP, error) {
	r := q.Resources
	want, srq := r.Set.Inlines(), cmp.Or(q.SRQ, r.srq)
	if r.xrcd != nil {
		srq = nil // requests of XRC name the SRQ
	}
	switch {
	case r.GPU != nil:
		want = []int{0} // the CPU copies inline data
	case r.inlineKnown:
		want = []int{r.Inline}
	}
	for {
		r.Inline = want[0]
		init := &verbs.QPInitAttr{
			SendCQ: q.SendCQ, RecvCQ: q.RecvCQ, SRQ: srq, Type: r.Set.QPType(),
			Cap: verbs.QPCap{
				MaxSendWR: r.Set.Queues.Sends, MaxRecvWR: r.Set.Queues.Recvs,
				MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: r.Inline,
			},
			NoScatterToCQE: r.GPU != nil || r.Set.ReceivesInMemory(q.mode, r.cfg.Role),
			OutOfOrder:     r.OutOfOrder(q.mode),
		}
		qp, err := q.createFor(init)
		refused := errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOMEM)
		switch {
		case err == nil:
			r.Inline = min(r.Inline, init.Cap.MaxInlineData) // 0 if the provider ignores SendInline
			r.inlineKnown, r.KeptInCQE = true, max(r.KeptInCQE, init.MaxScatterToCQE)
			return qp, errors.Join(q.checkLength(init), r.checkInline())
		case errors.Is(err, verbs.ErrNotSupported):
			return nil, r.explainUnsupported(err)
		case !refused || len(want) == 1:
			return nil, fmt.Errorf("with %d bytes of inline data, %d sends and %d receives: %w", r.Inline, r.Set.Queues.Sends, r.Set.Queues.Recvs, err)
		}
		want = want[1:]
	}
}

// close destroys the queues, users before what they use. Events must be acknowledged before.
func (q *Queues) close() {
	for _, c := range q.Conns {
		c.close()
	}
	q.closeDomain()
	for _, c := range []interface{ Close() error }{q.SRQ, q.SendCQ, q.RecvCQ, q.Channel} {
		if c != nil {
			c.Close()
		}
	}
}
