package harness

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/verbs"
)

// Messages go to the group of --MGID, or to a group of the peer's, and the receiver counts or answers
// what arrives. No side receives its own messages, although the QPs of both sides have the same
// number.
func TestMessagesToAGroup(t *testing.T) {
	for _, c := range []struct {
		mgid string
		kind option.Kind
		both bool
	}{
		{"", option.KindBandwidth, true}, {"239.7.8.9", option.KindBandwidth, false},
		{"255:18:0:0:0:0:0:0:0:0:0:0:0:0:0:7", option.KindBandwidth, false},
		{"", option.KindLatency, false}, {"239.7.8.9", option.KindLatency, false},
	} {
		var mu sync.Mutex
		qpns := map[uint32]bool{}
		p := testPlan(option.OpSend, c.kind, 64, 200)
		p.Transport, p.Multicast, p.MGID, p.Both = option.UD, true, c.mgid, c.both
		files, errs := pair{device: "shm_whole", plan: p, wrap: func(_ int, c verbs.Context) verbs.Context {
			return testdevice.Context(c, testdevice.Options{OnPostSend: func(_ verbs.QP, wr *verbs.SendWR) {
				_, qpn, _ := wr.UD()
				mu.Lock()
				defer mu.Unlock()
				qpns[qpn] = true
			}})
		}}.run(t)
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		if len(qpns) != 1 || !qpns[verbs.McastQPN] {
			t.Errorf("group %q: messages went to QPs %v", c.mgid, qpns)
		}
		for side, f := range files {
			if d := onlyRow(t, f).Delivery; d == nil || d.Sent == 0 || d.Lost == d.Sent {
				t.Errorf("%s, group %q, side %d: %+v", c.kind, c.mgid, side, d)
			}
		}
	}
}

type infiniBand struct{ verbs.Context }

func (c infiniBand) QueryPort(port int) (verbs.PortAttr, error) {
	a, err := c.Context.QueryPort(port)
	a.LinkLayer = verbs.LinkInfiniBand
	return a, err
}

func TestGroupsOfInfiniBandAreRefused(t *testing.T) {
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 50)
	p.Transport, p.Multicast = option.UD, true
	_, errs := pair{device: "shm_whole", plan: p, wrap: func(_ int, c verbs.Context) verbs.Context { return infiniBand{c} }}.run(t)
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "leave --mcg out") {
		t.Error(errs[0])
	}
}
