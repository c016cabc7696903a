package verbstest

import "github.com/ibperf/ibperf/verbs"

// send is a send request, written for readers.
type send struct {
	id    uint64
	op    verbs.Opcode // the zero value is RDMA_WRITE
	flags verbs.SendFlags
	imm   [4]byte
	raddr uint64
	rkey  uint32
	srq   uint32 // of XRC: the number of the peer's SRQ
	sges  []verbs.SGE

	compareAdd, swap uint64 // of atomic operations

	// UD
	ah        verbs.AH
	qpn, qkey uint32

	set func(*verbs.SendWR) // what else is to be set, or nil
}

// recv is a receive request.
type recv struct {
	id   uint64
	sges []verbs.SGE
}

// Opcodes and flags that are used everywhere.
const (
	opWrite    = verbs.OpRDMAWrite
	opWriteImm = verbs.OpRDMAWriteWithImm
	opSend     = verbs.OpSend
	opSendImm  = verbs.OpSendWithImm
	opRead     = verbs.OpRDMARead
	opSwap     = verbs.OpAtomicCmpAndSwp
	opAdd      = verbs.OpAtomicFetchAndAdd
	signaled   = verbs.SendSignaled
)

var imm = [4]byte{1, 2, 3, 4}

const (
	listMax = depth // requests of one list
	sgeMax  = 40    // SGEs of one request
)

// requests is the memory in which lists are built.
type requests struct {
	send []verbs.SendWR
	recv []verbs.RecvWR
	sges []verbs.SGE
}

func (e *env) newRequests() *requests {
	e.Helper()
	return &requests{array[verbs.SendWR](e, listMax), array[verbs.RecvWR](e, listMax), array[verbs.SGE](e, listMax*sgeMax)}
}

// sendList builds a linked list.
func (r *requests) sendList(list []send) *verbs.SendWR {
	for i, q := range list {
		w := &r.send[i]
		*w = verbs.SendWR{WRID: q.id, Opcode: q.op, SendFlags: q.flags, Imm: q.imm}
		w.SGList, w.NumSGE = r.scatter(i, q.sges)
		switch {
		case q.op == opSwap || q.op == opAdd:
			w.SetAtomic(q.raddr, q.rkey, q.compareAdd, q.swap)
		case q.ah != nil:
			w.SetUD(q.ah, q.qpn, q.qkey)
		default:
			w.SetRDMA(q.raddr, q.rkey)
		}
		if q.set != nil {
			q.set(w)
		}
		if i > 0 {
			r.send[i-1].Next = w
		}
	}
	return &r.send[0]
}

func (r *requests) recvList(list []recv) *verbs.RecvWR {
	for i, q := range list {
		w := &r.recv[i]
		*w = verbs.RecvWR{WRID: q.id}
		w.SGList, w.NumSGE = r.scatter(i, q.sges)
		if i > 0 {
			r.recv[i-1].Next = w
		}
	}
	return &r.recv[0]
}

func (r *requests) scatter(i int, sges []verbs.SGE) (*verbs.SGE, int32) {
	if len(sges) == 0 {
		return nil, 0
	}
	s := r.sges[i*sgeMax:][:sgeMax]
	copy(s, sges)
	return &s[0], int32(len(sges))
}

// tryPost posts a list of sends and returns the index of the bad one, -1 if none.
func (s *side) tryPost(list ...send) (bad int, err error) {
	first := s.requests.sendList(list)
	for i, r := range list {
		if r.srq == 0 {
			r.srq = s.remoteSRQ
		}
		s.requests.send[i].SetXRC(r.srq)
	}
	wr, err := s.qp.PostSend(first)
	for i := range s.requests.send {
		if wr == &s.requests.send[i] {
			return i, err
		}
	}
	return -1, err
}

func (s *side) post(list ...send) {
	s.Helper()
	if bad, err := s.tryPost(list...); err != nil {
		s.Fatalf("request %d: %v", bad, err)
	}
}

// tryRecv posts a list of receives, to the SRQ if the side has one, and returns the index of the bad one, -1 if none.
func (s *side) tryRecv(list ...recv) (bad int, err error) {
	post := s.qp.PostRecv
	if s.srq != nil {
		post = s.srq.PostRecv
	}
	wr, err := post(s.requests.recvList(list))
	for i := range s.requests.recv {
		if wr == &s.requests.recv[i] {
			return i, err
		}
	}
	return -1, err
}

func (s *side) recv(list ...recv) {
	s.Helper()
	if bad, err := s.tryRecv(list...); err != nil {
		s.Fatalf("receive %d: %v", bad, err)
	}
}

// toward returns the request aimed at the peer's buffer.
func (r send) toward(peer *side, off int) send { return r.into(peer.mr, off) }

// into returns the request aimed at a region of the peer.
func (r send) into(mr verbs.MR, off int) send {
	r.raddr, r.rkey = mr.Addr()+uint64(off), mr.RKey()
	return r
}
