package conform

import (
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/leak"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm"
)

// TestMain runs the binary as a worker if a test has started it as one.
func TestMain(m *testing.M) {
	verbs.Register(oddBackend{})
	Child()
	leak.Main(m)
}

// oddBackend has embedded devices with one fault each.
type oddBackend struct{}

// oddities are the faults of a device's CQs when they are polled.
var oddities = map[string]func(){
	"odd_crash": func() { var p *int; *p = 1 },
	"odd_hang":  func() { time.Sleep(time.Hour) },
	"odd_norc":  nil,
	"odd_card":  nil,
}

func (oddBackend) Name() string                     { return "odd" }
func (oddBackend) Version() string                  { return "1" }
func (oddBackend) Devices() ([]verbs.Device, error) { return nil, nil }
func (oddBackend) Absence() error                   { return nil }

func (oddBackend) Lookup(name string) (verbs.Device, error) {
	polled, ok := oddities[name]
	if !ok {
		return nil, nil
	}
	d, err := shm.Device("shm_whole", shm.Options{})
	return &oddDevice{d, name, polled}, err
}

type oddDevice struct {
	verbs.Device
	name   string
	polled func()
}

func (d *oddDevice) Name() string { return d.name }

// Software returns an empty text for odd_card, as hardware does.
func (d *oddDevice) Software() string {
	if d.name == "odd_card" {
		return ""
	}
	return d.Device.Software()
}

func (d *oddDevice) Open() (verbs.Context, error) {
	c, err := d.Device.Open()
	return &oddContext{c, d}, err
}

type oddContext struct {
	verbs.Context
	d *oddDevice
}

func (c *oddContext) Device() verbs.Device { return c.d }

func (c *oddContext) CreateCQ(cqe int, ch verbs.CompChannel, vector int) (verbs.CQ, error) {
	cq, err := c.Context.CreateCQ(cqe, ch, vector)
	return &oddCQ{cq, c.d}, err
}

func (c *oddContext) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return &oddPD{pd, c.d}, err
}

// oddCQ has a fault when it is polled. The CQ of odd_card is always empty.
type oddCQ struct {
	verbs.CQ
	d *oddDevice
}

func (q *oddCQ) Poll(wcs []verbs.WC) (int, error) {
	if q.d.polled != nil {
		q.d.polled()
	}
	if q.d.name == "odd_card" {
		return 0, nil
	}
	return q.CQ.Poll(wcs)
}

type oddPD struct {
	verbs.PD
	d *oddDevice
}

func (pd *oddPD) CreateQP(attr *verbs.QPInitAttr) (verbs.QP, error) {
	if pd.d.name == "odd_norc" && attr.Type == verbs.QPTypeRC {
		return nil, &verbs.OpError{Verb: "create_qp", Object: pd.d.name, Errno: verbs.ErrNotSupported}
	}
	inner := *attr
	inner.SendCQ, inner.RecvCQ = attr.SendCQ.(*oddCQ).CQ, attr.RecvCQ.(*oddCQ).CQ
	return pd.PD.CreateQP(&inner)
}
