package harness

import "github.com/ibperf/ibperf/verbs"

// requests is the memory of the work requests of all lanes: one mapping for each
// kind of them, since a mapping for each lane costs time and a page at the least.
type requests struct {
	sends, sendsLeft []verbs.SendWR
	recvs, recvsLeft []verbs.RecvWR
	sges, sgesLeft   []verbs.SGE
}

// mostSlots is how many messages a lane's ring holds at most.
func (r *rig) mostSlots() int {
	most := 0
	for _, size := range r.plan.Sizes {
		most = max(most, slots(r.plan, size))
	}
	return most
}

func (r *rig) makeRequests() (err error) {
	q, lanes := &r.requests, r.plan.QPs
	sends, recvs := r.mostSlots(), r.recvDepth()
	if q.sends, err = verbs.Make[verbs.SendWR](lanes * (sends + 1)); err != nil {
		return err
	}
	if q.recvs, err = verbs.Make[verbs.RecvWR](lanes * recvs); err != nil {
		return err
	}
	if q.sges, err = verbs.Make[verbs.SGE](lanes * (sends + recvs + r.plan.creditDepth())); err != nil {
		return err
	}
	q.sendsLeft, q.recvsLeft, q.sgesLeft = q.sends, q.recvs, q.sges
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
}
