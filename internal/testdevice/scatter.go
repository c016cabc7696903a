package testdevice

import (
	"sync"

	"github.com/ibperf/ibperf/verbs"
)

// scatter keeps the messages of a QP out of their buffers until the completion is polled. The inner
// QP receives into memory of the scatter, from which the poller copies.
type scatter struct {
	pd    *pd
	limit int // bytes that a CQE holds
	sges  int // maximum of a receive
	buf   *verbs.Buffer
	mr    verbs.MR
	wr    []verbs.RecvWR // one request, for posts
	into  []verbs.SGE    // its SGE

	mu    sync.Mutex
	slots int
	next  int
	posts []held // outstanding receives, in order
}

// held is a posted receive.
type held struct {
	slot int         // in the scatter's memory; none: the inner QP has the receive unchanged
	to   []verbs.SGE // of the program
}

const none = -1

// scatters reports whether the device keeps messages of a QP in the CQE.
func (o *Options) scatters(init *verbs.QPInitAttr) bool {
	connected := init.Type == verbs.QPTypeRC || init.Type == verbs.QPTypeUC
	return o.ScatterToCQE > 0 && connected && init.SRQ == nil && (!init.NoScatterToCQE || o.ScatterStays)
}

func newScatter(p *pd, init *verbs.QPInitAttr) (*scatter, error) {
	s := &scatter{pd: p, limit: p.ctx.options.ScatterToCQE, sges: init.Cap.MaxRecvSGE, slots: max(init.Cap.MaxRecvWR, 1)}
	err := s.make()
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *scatter) make() (err error) {
	if s.buf, err = verbs.NewBuffer(s.slots * s.limit); err != nil {
		return err
	}
	if s.mr, err = s.pd.PD.RegMR(s.buf.Bytes(), verbs.AccessLocalWrite); err != nil {
		return err
	}
	if s.wr, err = verbs.Make[verbs.RecvWR](1); err != nil {
		return err
	}
	s.into, err = verbs.Make[verbs.SGE](1)
	return err
}

// post posts the receives of the list one by one. Pollers wait for it, so that a receive is added
// before its completion is polled.
func (s *scatter) post(qp verbs.QP, list *verbs.RecvWR) (bad *verbs.RecvWR, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for wr := list; wr != nil; wr = wr.Next {
		one := s.divert(wr)
		if _, err := qp.PostRecv(one); err != nil {
			s.posts = s.posts[:len(s.posts)-1]
			return wr, err
		}
	}
	return nil, nil
}

// divert adds a receive and returns the one that the inner QP gets in its place. The inner QP gets
// a receive that is too long for a CQE, or wrong, unchanged.
func (s *scatter) divert(wr *verbs.RecvWR) *verbs.RecvWR {
	one, length := &s.wr[0], s.room(wr)
	*one = *wr
	one.Next = nil
	if length == 0 || length > s.limit {
		s.posts = append(s.posts, held{slot: none})
		return one
	}
	s.posts = append(s.posts, held{s.next, append([]verbs.SGE(nil), received(wr)...)})
	s.into[0] = verbs.SGE{Addr: s.mr.Addr() + uint64(s.next*s.limit), Length: uint32(length), LKey: s.mr.LKey()}
	one.SGList, one.NumSGE = &s.into[0], 1
	s.next = (s.next + 1) % s.slots
	return one
}

// room returns the length of the receive in bytes, 0 if it is wrong.
func (s *scatter) room(wr *verbs.RecvWR) (n int) {
	if wr.SGList == nil || wr.NumSGE < 0 || int(wr.NumSGE) > s.sges {
		return 0
	}
	for _, e := range received(wr) {
		if s.pd.at(e) == nil {
			return 0
		}
		n += int(e.Length)
	}
	return n
}

// completed copies the message of a receive's completion.
func (s *scatter) completed(wc *verbs.WC) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.posts) == 0 {
		return
	}
	first := s.posts[0]
	s.posts = s.posts[1:]
	if first.slot == none || wc.Opcode != verbs.WCRecv {
		return
	}
	data := s.buf.Bytes()[first.slot*s.limit:][:wc.ByteLen]
	for _, e := range first.to {
		data = data[copy(s.pd.at(e), data):]
	}
}

// drop drops the receives of a QP that is RESET.
func (s *scatter) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = nil
}

// close frees the memory of a scatter, which may be nil.
func (s *scatter) close() {
	if s == nil {
		return
	}
	if s.mr != nil {
		s.mr.Close()
	}
	if s.buf != nil {
		s.buf.Close()
	}
	verbs.Free(s.wr)
	verbs.Free(s.into)
}

// deliver copies the messages whose completions were polled.
func (q *cq) deliver(wc []verbs.WC) {
	for i := range wc {
		if !isReceive(&wc[i]) {
			continue
		}
		q.ctx.mu.Lock()
		s := q.ctx.scatters[wc[i].QPNum]
		q.ctx.mu.Unlock()
		if s != nil {
			s.completed(&wc[i])
		}
	}
}
