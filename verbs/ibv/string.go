//go:build linux && cgo

package ibv

import "fmt"

// String methods return one short line that identifies the object, open or closed. They do not
// call the library, and print neither memory nor rkeys. GoString is the same, as %#v would print
// the whole object.

var _ fmt.Stringer = (*device)(nil) // so that package verbstest checks all objects

func (d *device) String() string  { return d.name }
func (c *context) String() string { return c.dev.name + " context" }
func (p *pd) String() string      { return p.ctx.dev.name + " PD" }
func (t *td) String() string      { return t.ctx.dev.name + " thread domain" }
func (x *xrcd) String() string    { return x.ctx.dev.name + " XRC domain" }
func (a *ah) String() string      { return a.ctx.dev.name + " AH to " + a.to }
func (m *mr) String() string {
	return fmt.Sprintf("%s MR lkey %#x, %d bytes", m.ctx.dev.name, m.lkey, m.length)
}
func (w *mw) String() string  { return fmt.Sprintf("%s MW of type %d", w.ctx.dev.name, w.typ) }
func (q *cq) String() string  { return fmt.Sprintf("%s CQ %d", q.ctx.dev.name, q.handle) }
func (s *srq) String() string { return fmt.Sprintf("%s SRQ %d", s.ctx.dev.name, s.handle) }
func (q *qp) String() string {
	return fmt.Sprintf("%s QP %#08x %s", q.ctx.dev.name, q.QPNum(), q.init.Type)
}
func (ch *compChannel) String() string {
	return fmt.Sprintf("%s completion channel, descriptor %d", ch.ctx.dev.name, ch.fd)
}
func (c *cmConn) String() string { return c.name + " by rdma_cm" }

func (d *device) GoString() string       { return d.String() }
func (c *context) GoString() string      { return c.String() }
func (p *pd) GoString() string           { return p.String() }
func (t *td) GoString() string           { return t.String() }
func (x *xrcd) GoString() string         { return x.String() }
func (a *ah) GoString() string           { return a.String() }
func (m *mr) GoString() string           { return m.String() }
func (w *mw) GoString() string           { return w.String() }
func (q *cq) GoString() string           { return q.String() }
func (s *srq) GoString() string          { return s.String() }
func (q *qp) GoString() string           { return q.String() }
func (ch *compChannel) GoString() string { return ch.String() }
func (c *cmConn) GoString() string       { return c.String() }
