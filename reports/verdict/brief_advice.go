package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// advice returns what to do in one sentence.
func (f *findings) advice(actions []advised) string {
	switch {
	case f.checks.other.Bad() > 0:
		c := &f.checks.other
		return wrongText("Do not rely on ", c.devices(), " wrong after their completion", &c.Verify)
	case f.checks.data.Bad() > 0:
		return f.wrongData(&f.checks.data)
	case f.checks.forced.Bad() > 0:
		return f.wrongData(&f.checks.forced)
	}
	var data []advised
	reasons := map[string]bool{}
	for _, a := range actions {
		if a.Mode == option.ModeData {
			data = append(data, a)
		} else {
			reasons[a.Reason] = true
		}
	}
	switch {
	case len(data) > 0:
		return spinText(data, len(data) < len(actions))
	case reasons[reasonNoPromise]:
		return f.noPromiseText(actions)
	case reasons[reasonUnclear]:
		return "Unclear: the rounds vary too much to compare data with poll; poll the completion queue until they do not"
	case reasons[reasonNotFaster]:
		return "Poll the completion queue: data is not faster at any size"
	case reasons[reasonImpossible]:
		return "Poll the completion queue: mode data is not possible for " + opList(actions, reasonImpossible)
	}
	return fits(MaxWidth, "Nothing was compared: "+f.whyNothing(), "Nothing was compared")
}

// wrongData says that memory must not be polled.
func (f *findings) wrongData(c *checkedMessages) string {
	device := "this device"
	for _, run := range f.compared {
		for _, s := range []*result.Side{&run.Local, &run.Peer} {
			if s.Device.Name != c.sites[0].device {
				device = c.devices()
			}
		}
	}
	return wrongText("Do not poll memory on ", device, " wrong", &c.Verify)
}

// wrongText returns a warning with counts.
func wrongText(warning, device, how string, v *result.Verify) string {
	count := fmt.Sprintf(": %s of %s messages were%s", thousands(v.Bad()), thousands(v.Messages), how)
	var kinds []string
	for _, k := range []struct {
		name string
		n    uint64
	}{{"torn", v.Torn}, {"stale", v.Stale}, {"duplicate", v.Duplicates}} {
		if k.n > 0 {
			kinds = append(kinds, k.name+" "+thousands(k.n))
		}
	}
	return fits(MaxWidth, warning+device+count+" ("+strings.Join(kinds, ", ")+")", warning+device+count, warning+phrase.Shorten(device, 30)+count)
}

// spinText returns the sentence about operations for which mode data is faster; others says that there are more.
func spinText(data []advised, others bool) string {
	var extents []string
	ops := map[string][]string{}
	limited := false
	for _, a := range data {
		extents = phrase.AddNew(extents, a.extent)
		ops[a.extent] = append(ops[a.extent], opLabel(a.Op, a.Where))
		limited = limited || a.above
	}
	var clauses []string
	for _, extent := range extents {
		clauses = append(clauses, phrase.List(ops[extent])+extent)
	}
	tail, short := "", ""
	switch {
	case others:
		tail, short = "; otherwise poll the completion queue", "; otherwise poll the CQ"
	case limited:
		tail, short = "; poll the completion queue above that", "; poll the CQ above that"
	}
	const head = "Spin on data for "
	all := head + phrase.List(clauses)
	return fits(MaxWidth, all+tail, all+short, head+listed(clauses, ", ", MaxWidth-width(head+short))+short)
}

// noPromiseText names the devices that do not promise data order.
func (f *findings) noPromiseText(actions []advised) string {
	var none, unknown []string
	for _, a := range actions {
		for _, s := range rows.WaitingSides(a.file) {
			switch name := printable.Clean(s.Device.Name); {
			case a.Reason != reasonNoPromise:
			case orderOf(s) == result.OrderNone:
				none = phrase.AddNew(none, name)
			case orderOf(s) == result.OrderUnknown:
				unknown = phrase.AddNew(unknown, name)
			}
		}
	}
	head, does, names := "Poll the completion queue: ", " does not promise data order", none
	switch {
	case len(none) > 1:
		does = " do not promise data order"
	case len(none) == 0:
		head, does, names = head+"it is not known whether ", " promises data order", unknown
	}
	return head + listed(names, ", ", MaxWidth-width(head+does)) + does
}

// opList lists the operations of actions with a reason.
func opList(actions []advised, reason string) string {
	var ops []string
	for _, a := range actions {
		if a.Reason == reason {
			ops = phrase.AddNew(ops, opLabel(a.Op, a.Where))
		}
	}
	return listed(ops, ", ", MaxWidth/2)
}

// whyNothing returns why nothing was compared.
func (f *findings) whyNothing() string {
	for _, s := range f.sweeps {
		for _, c := range s.conclusions {
			if c.why != "" {
				return c.whyText()
			}
		}
	}
	i := slices.IndexFunc(f.missing, func(m missing) bool { return m.mode == "" })
	if i < 0 {
		return "no measurement was finished"
	}
	return joinTestNames(f.missing[i].tests) + " " + f.missing[i].reason
}
