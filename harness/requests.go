package harness

import "github.com/ibperf/ibperf/verbs"

// requests is the memory of the work requests of all QPs: one mapping for each
// kind of them, since a mapping for each QP costs time and a page at the least.
type requests struct {
	sends, sendsLeft []verbs.SendWR
	recvs, recvsLeft []verbs.RecvWR
	sges, sgesLeft   []verbs.SGE
	wcs, wcsLeft     []verbs.WC
}

func (r *rig) makeRequests() (err error) {
	q, ways := &r.requests, len(planned(r.plan))
	lanes := ways * r.plan.QPs
	if q.sends, err = verbs.Make[verbs.SendWR](lanes * (r.queues.slots + 1)); err != nil {
		return err
	}
	if q.recvs, err = verbs.Make[verbs.RecvWR](lanes * r.queues.recvs); err != nil {
		return err
	}
	if q.sges, err = verbs.Make[verbs.SGE](lanes * (r.queues.slots + r.queues.recvs + r.queues.credits + 1)); err != nil {
		return err
	}
	if q.wcs, err = verbs.Make[verbs.WC](ways * r.plan.Workers * 2 * r.plan.CQEPoll); err != nil {
		return err
	}
	q.sendsLeft, q.recvsLeft, q.sgesLeft, q.wcsLeft = q.sends, q.recvs, q.sges, q.wcs
	return nil
}

// cut takes the first n of what is left.
func cut[T any](left *[]T, n int) []T {
	taken := (*left)[:n:n]
	*left = (*left)[n:]
	return taken
}

func (q *requests) free() {
	verbs.Free(q.sends)
	verbs.Free(q.recvs)
	verbs.Free(q.sges)
	verbs.Free(q.wcs)
}
