package soak

import "github.com/ibperf/ibperf/verbs"

// request makes the k-th request of a list.
func (w *work) request(k int, op verbs.Opcode, from verbs.SGE) *verbs.SendWR {
	wr := &w.send[k]
	w.sge[k] = from
	*wr = verbs.SendWR{Opcode: op, SGList: &w.sge[k], NumSGE: 1}
	switch {
	case from.Length == 0:
		wr.SGList, wr.NumSGE = nil, 0
	case from.Length > 1 && op != verbs.OpAtomicFetchAndAdd && k == 0 && w.random.IntN(4) == 0:
		w.split(wr)
	}
	if w.random.IntN(8) == 0 {
		wr.SendFlags |= verbs.SendSolicited
	}
	if w.random.IntN(16) == 0 {
		wr.SendFlags |= verbs.SendFence
	}
	wr.SetXRC(w.far.SRQ)
	return wr
}

// split divides the SGE of a request into two.
func (w *work) split(wr *verbs.SendWR) {
	whole, first := w.sge[0], uint32(1+w.random.IntN(int(w.sge[0].Length)-1))
	w.sge[2] = verbs.SGE{Addr: whole.Addr, Length: first, LKey: whole.LKey}
	w.sge[3] = verbs.SGE{Addr: whole.Addr + uint64(first), Length: whole.Length - first, LKey: whole.LKey}
	wr.SGList, wr.NumSGE = &w.sge[2], 2
}

// postList posts the list that begins at the first request. Its last request is signaled.
func (w *work) postList(id uint64, conn int) error {
	last := &w.send[0]
	for last.Next != nil {
		last = last.Next
	}
	last.WRID = id
	last.SendFlags |= verbs.SendSignaled
	if w.ah != nil {
		w.send[0].SetUD(w.ah, w.far.Ends[0].QPNum, qkey)
	}
	w.conns[conn].room -= requestsOf(id)
	_, err := w.conns[conn].qp.PostSend(&w.send[0])
	return err
}
