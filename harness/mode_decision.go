package harness

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// decision holds which modes are measured, and where markers are, as derived from the data-order
// promises of the sides that poll memory: both sides of a ping-pong, the receiver of WRITEs and SENDs,
// the requester of READs.
type decision struct {
	modes    []measuredMode
	order    verbs.Order // the weakest promise; decides where the markers are
	forced   bool        // memory is polled although a device does not promise data order
	warnings []result.Warning
}

// measuredMode is a mode that is measured.
type measuredMode struct {
	mode  testcase.Mode
	group int // index among the planned modes, each of which has QPs
}

// checkPromise returns an error for a promise with impossible values, or of another number of devices than the plan has.
func checkPromise(p oob.Promise, devices int) error {
	err := p.Check()
	if n := len(p.Side.Devices()); err == nil && n != devices {
		err = fmt.Errorf("%d devices, want %d", n, devices)
	}
	if err != nil {
		return &oob.MessageError{Exchange: "promise", Err: err}
	}
	return nil
}

// decide makes the decision. Both sides, each with its role, decide alike.
func decide(set *testcase.Set, p *option.Plan, role Role, mine, theirs oob.Promise) (decision, error) {
	d := decision{order: verbs.OrderWhole}
	if why := p.NoData(); why != "" {
		d.order = verbs.OrderNone
		if set.PrefersData() {
			d.warn(result.WarnDataNotRun, "data mode was left out: %s", why)
		}
		d.addModes(set, func(testcase.Mode) bool { return true })
		return d, nil
	}
	polls := set.MemoryPollers()
	here, there := polls.Has(role), polls.Has(role.Other())
	var unordered, kept *RefusedError
	for _, s := range []struct {
		polls bool
		name  string
		oob.Promise
	}{{here, "this side", mine}, {there, "the peer", theirs}} {
		if g := s.Side.GPU; g != "" && kept == nil { // also of a sender, whose CPU cannot mark the end of a message
			kept = &RefusedError{Side: s.name, Device: s.Side.Device.Name, GPU: g}
			d.order = verbs.OrderNone
		}
		if !s.polls {
			continue
		}
		d.order = min(d.order, s.Order)
		device := s.Side.DeviceNames() // the order is the weakest of all
		if s.Order < set.NeededOrder(p.Sizes) && unordered == nil {
			unordered = &RefusedError{Side: s.name, Device: device, Query: s.Side.Order.Query, Answer: s.Order.String(), OnlyData: set.OnlyData()}
		}
		if shortest := slices.Min(p.Sizes); shortest <= s.MaxScatterToCQE && kept == nil {
			kept = &RefusedError{Side: s.name, Device: device, Size: shortest, Kept: s.MaxScatterToCQE}
		}
	}
	return d, d.chooseModes(set, unordered, kept)
}

// chooseModes sets the modes that are measured, or returns the error of a refused run. The arguments are
// the reasons against mode data, or nil: a device without the promise, and a device that keeps
// messages in the CQE or memory of a GPU. --force-data overrides only the first.
func (d *decision) chooseModes(set *testcase.Set, unordered, kept *RefusedError) error {
	if slices.ContainsFunc(set.Modes, testcase.Mode.ByFlag) {
		d.warn(result.WarnForcedData, "row data+flag is forced and unsafe: no answer of a device covers the order of two requests; its results are valid only if the data of each message really arrived before its flag")
	}
	if unordered != nil && kept == nil && set.Plan.ForceData {
		d.forced, d.order = true, verbs.OrderNone
		d.warn(result.WarnForcedData, "data mode is forced and unsafe: %s; results are valid only if the last byte of each message really arrived last", unordered.why())
		unordered = nil
	}
	refusal := cmp.Or(kept, unordered)
	if refusal != nil {
		d.order = verbs.OrderNone
		if set.RequiresData() {
			return refusal
		}
		if set.PrefersData() {
			d.warn(result.WarnDataNotRun, "data mode was left out: %s", refusal.why())
		}
	}
	d.addModes(set, func(m testcase.Mode) bool {
		return refusal == nil || !m.PollsMemory() || m.ByFlag()
	})
	return nil
}

// addModes adds the planned modes that are possible: all of them in a comparison, otherwise the first.
func (d *decision) addModes(set *testcase.Set, possible func(testcase.Mode) bool) {
	for i, m := range set.Modes {
		if !possible(m) {
			continue
		}
		d.modes = append(d.modes, measuredMode{m, i})
		if !set.Plan.Compare {
			return
		}
	}
}

// addOnOneCPU adds the mode that is also measured with both sides' threads on one CPU, on the QPs that
// it has.
func (d *decision) addOnOneCPU(set *testcase.Set) {
	for _, w := range d.modes {
		if m, ok := set.OnOneCPU(w.mode); ok {
			d.modes = append(d.modes, measuredMode{m, w.group})
			return
		}
	}
}

// sharesQPs reports whether the i-th measured mode has the QPs of an earlier one.
func (d *decision) sharesQPs(i int) bool {
	return slices.ContainsFunc(d.modes[:i], func(w measuredMode) bool { return w.group == d.modes[i].group })
}

// testModes returns the modes that are measured.
func (d *decision) testModes() (all []testcase.Mode) {
	for _, m := range d.modes {
		all = append(all, m.mode)
	}
	return all
}

// warn adds a warning.
func (d *decision) warn(id result.WarningID, format string, args ...any) {
	d.warnings = append(d.warnings, result.Warning{ID: id, Text: fmt.Sprintf(format, args...)})
}
