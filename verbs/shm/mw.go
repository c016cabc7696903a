package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// Memory windows. One has a place in the table of regions, and bound it is a region: a part of
// another one, for peers alone. How a bind begins and ends is in bind.go.

type mw struct {
	*region // without memory, which has its place while it is not bound
	typ     verbs.MWType
	rkey    atomic.Uint32 // as its owner knows it
}

func (p *pd) AllocMW(t verbs.MWType) (verbs.MW, error) {
	c := p.ctx
	switch {
	case p.isClosed():
		return nil, c.err("alloc_mw", ebadf, closedText)
	case t != verbs.MWType1 && t != verbs.MWType2:
		return nil, c.err("alloc_mw", einval, "the types are 1 and 2")
	}
	w := &mw{region: &region{object: c.newObject(&p.object), pd: p}, typ: t}
	w.mw = w
	if err := w.enter("alloc_mw"); err != nil {
		return nil, err
	}
	w.rkey.Store(w.key)
	w.retain(1)
	return w, nil
}

func (w *mw) RKey() uint32        { return w.rkey.Load() }
func (w *mw) SetRKey(rkey uint32) { w.rkey.Store(rkey) }
func (w *mw) Handle() uint64      { return uint64(w.index()) }
func (w *mw) Close() error        { return w.end("dealloc_mw") }

func (w *mw) Bind(to verbs.QP, bind *verbs.MWBind) error {
	c := w.ctx
	q, ok := to.(*qp)
	m, bindable := bind.Info.MR.(*mr)
	switch {
	case w.typ != verbs.MWType1 || !ok || q.ctx != c || !bindable:
		return c.err("bind_mw", einval, "a window of type 1, and a QP and a region of its context are needed")
	case m.pd != w.pd:
		return c.err("bind_mw", unix.EPERM, "the region is of another domain")
	}
	wr := verbs.SendWR{WRID: bind.WRID, Opcode: verbs.OpBindMW, SendFlags: bind.SendFlags}
	next := verbs.IncRKey(w.RKey())
	wr.SetBindMW(w, next, bind.Info)
	_, err := q.PostSend(&wr)
	if err == nil {
		w.SetRKey(next)
	}
	return err
}
