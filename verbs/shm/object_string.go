package shm

import (
	"fmt"

	"github.com/ibperf/ibperf/verbs"
)

// String forms of objects: one short line that identifies the object in any state. They take no
// lock, and reveal neither memory nor rkeys. The format %#v, which would print all fields, prints
// the same.

var _ fmt.Stringer = (*device)(nil) // verbstest checks the strings of all objects

// text returns the device's name and the description of the object.
func (o *object) text(format string, args ...any) string {
	return o.ctx.dev.name + " " + fmt.Sprintf(format, args...)
}

func (d *device) String() string  { return d.Name() }
func (c *context) String() string { return c.dev.name + " context" }
func (p *pd) String() string      { return p.text("PD %d", p.id) }
func (m *region) String() string  { return m.text("MR lkey %#x, %d bytes", m.key, len(m.buf)) }
func (w *mw) String() string      { return w.text("MW of type %d", w.typ) }
func (q *cq) String() string      { return q.text("CQ %d", q.id) }
func (s *srq) String() string     { return s.text("SRQ %#08x", s.num) }
func (x *xrcd) String() string    { return x.text("XRC domain %d", x.id) }
func (ch *channel) String() string {
	return ch.text("completion channel, descriptor %d", ch.readFD)
}
func (a *ah) String() string { return a.pd.text("AH to %s", a.route.DGID) }
func (q *qp) String() string {
	return q.text("QP %#08x %s %s", q.num, q.typ, verbs.QPState(q.state.Load()))
}

func (d *device) GoString() string   { return d.String() }
func (c *context) GoString() string  { return c.String() }
func (p *pd) GoString() string       { return p.String() }
func (m *region) GoString() string   { return m.String() }
func (w *mw) GoString() string       { return w.String() }
func (q *cq) GoString() string       { return q.String() }
func (s *srq) GoString() string      { return s.String() }
func (x *xrcd) GoString() string     { return x.String() }
func (ch *channel) GoString() string { return ch.String() }
func (a *ah) GoString() string       { return a.String() }
func (q *qp) GoString() string       { return q.String() }
