package testdevice

import "fmt"

// Objects print as the objects that they wrap.

var _ fmt.Stringer = device{} // so that package verbstest checks all objects

func (d device) String() string    { return fmt.Sprint(d.Device) }
func (c *context) String() string  { return fmt.Sprint(c.Context) }
func (p *pd) String() string       { return fmt.Sprint(p.PD) }
func (m plain) String() string     { return fmt.Sprint(m.MR) }
func (r *region) String() string   { return fmt.Sprint(r.MR) }
func (ch *channel) String() string { return fmt.Sprint(ch.CompChannel) }
func (q *cq) String() string       { return fmt.Sprint(q.CQ) }
func (q *qp) String() string       { return fmt.Sprint(q.QP) }

func (d device) GoString() string    { return d.String() }
func (c *context) GoString() string  { return c.String() }
func (p *pd) GoString() string       { return p.String() }
func (m plain) GoString() string     { return m.String() }
func (r *region) GoString() string   { return r.String() }
func (ch *channel) GoString() string { return ch.String() }
func (q *cq) GoString() string       { return q.String() }
func (q *qp) GoString() string       { return q.String() }
