package harness

import (
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// threaded is a device with thread domains, which counts the open ones.
type threaded struct {
	verbs.Context
	mu               sync.Mutex
	tds, parents     int
	inParent, beside int // QPs of a parent domain, and others
}

func (c *threaded) count(n *int, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n += by
}

type threadDomain struct{ c *threaded }

func (d threadDomain) Close() error {
	d.c.count(&d.c.tds, -1)
	return nil
}

func (c *threaded) AllocTD() (verbs.TD, error) {
	c.count(&c.tds, 1)
	return threadDomain{c}, nil
}

func (c *threaded) AllocParentDomain(pd verbs.PD, _ verbs.TD) (verbs.PD, error) {
	c.count(&c.parents, 1)
	return threadedPD{pd.(threadedPD).PD, c, true}, nil
}

func (c *threaded) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return threadedPD{pd, c, false}, err
}

type threadedPD struct {
	verbs.PD
	c      *threaded
	parent bool
}

func (p threadedPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	if p.parent {
		p.c.count(&p.c.inParent, 1)
	} else {
		p.c.count(&p.c.beside, 1)
	}
	return p.PD.CreateQP(init)
}

func (p threadedPD) Close() error {
	if p.parent {
		p.c.count(&p.c.parents, -1)
		return nil
	}
	return p.PD.Close()
}

// With --no_lock all QPs are created in a thread domain, which is closed after them; without it no
// QP is. A device without thread domains is refused.
func TestQPsWithoutLocks(t *testing.T) {
	for _, noLock := range []bool{false, true} {
		var devices [2]*threaded
		p := testPlan(option.OpSend, option.KindBandwidth, 8, 100)
		p.NoLock, p.QPs = noLock, 3
		_, errs := pair{device: "shm_whole", plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
			devices[side] = &threaded{Context: c}
			return devices[side]
		}}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, d := range devices {
			in, out := 0, p.QPs
			if noLock {
				in, out = out, in
			}
			if d.inParent != in || d.beside != out || d.tds != 0 || d.parents != 0 {
				t.Errorf("no_lock %v, side %d: %d QPs in a thread domain, %d beside; %d and %d domains are left", noLock, side, d.inParent, d.beside, d.tds, d.parents)
			}
		}
		if !noLock {
			continue
		}
		if _, errs = (pair{device: "shm_whole", plan: p}).run(t); errs[0] == nil || !strings.Contains(errs[0].Error(), "leave --no_lock out") {
			t.Errorf("without thread domains: %v", errs[0])
		}
	}
}
