package harness

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testdevice"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// twoDevices are two devices of each side, with different answers about data order.
const twoDevices = "shm_whole,shm_block128"

// Two devices of each side carry the messages of each test over each transport, with two threads each: every byte arrives, each
// device has a row, and the row of all is their sum.
func TestDevices(t *testing.T) {
	legal(t, func(t *testing.T, p option.Plan) {
		for _, mode := range modes() {
			p := p
			p.Devices, p.Threads, p.Verify, p.Iterations, p.Completion = 2, 2, true, 60, mode
			if p.Bandwidth() || !p.Fetches() {
				p.QPs = 4
			}
			if p.Check() != nil || mode == option.ModeData && !promised {
				continue // the mode does not have the transport
			}
			files, errs := pair{device: twoDevices, plan: p}.run(t)
			if err := errors.Join(errs[:]...); err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			for side, f := range files {
				r := onlyRow(t, f)
				if names := f.Local.DeviceNames() + " " + f.Peer.DeviceNames(); names != "shm_whole:1,shm_block128:1 shm_whole:1,shm_block128:1" {
					t.Errorf("side %d has devices %s", side, names)
				}
				if len(r.Devices) != 2 {
					t.Fatalf("%s, side %d: %d rows of devices", mode, side, len(r.Devices))
				}
				checkSumOfDevices(t, f.Kind, r)
				for d := range r.Devices {
					v := r.Devices[d].Verify
					checkArrived(t, &p, v.Messages, v.Bad(), r.Delivery != nil)
				}
			}
		}
	})
}

// checkSumOfDevices compares a row with the sums of its devices.
func checkSumOfDevices(t *testing.T, kind option.Kind, r *result.Row) {
	t.Helper()
	var n, checked, sleeps uint64
	var longest float64
	for i := range r.Devices {
		d := r.OfDevice(i)
		n, checked, sleeps = n+rowMessages(&d), checked+d.Verify.Messages, sleeps+d.Local.Sleeps
		if kind == option.KindBandwidth {
			longest = max(longest, d.Bandwidth.Seconds)
		}
		for round := range d.Rounds {
			if d.Rounds[round].Run != r.Rounds[round].Run {
				t.Errorf("device %d has rounds %v, all have %v", i, d.Rounds, r.Rounds)
			}
		}
	}
	if n != rowMessages(r) || checked != r.Verify.Messages || sleeps != r.Local.Sleeps {
		t.Errorf("devices have %d messages, %d checked, %d sleeps; all have %d, %d, %d", n, checked, sleeps, rowMessages(r), r.Verify.Messages, r.Local.Sleeps)
	}
	if kind == option.KindBandwidth && r.Bandwidth.Seconds < longest {
		t.Errorf("all devices took %v s, one %v s", r.Bandwidth.Seconds, longest)
	}
}

// A run of several devices has rows of each after a fixed time too, in both directions and in intervals.
func TestDevicesForATime(t *testing.T) {
	for _, both := range []bool{false, true} {
		p := testPlan(option.OpWrite, option.KindBandwidth, 4096, 0)
		p.Devices, p.Duration, p.Both, p.Rounds = 2, 40*time.Millisecond, both, 2
		files, errs := pair{device: twoDevices, plan: p}.run(t)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, f := range files {
			r := onlyRow(t, f)
			if len(r.Devices) != 2 || len(r.Devices[0].Rounds) != 2 {
				t.Fatalf("side %d: row %+v", side, r)
			}
			sum := 0.0
			for _, d := range r.Devices {
				sum += d.Bandwidth.Average
				if d.Bandwidth.Peak == 0 || (d.FromServer != nil) != both {
					t.Errorf("both %v, side %d: a device has %+v", both, side, d)
				}
			}
			if got := r.Bandwidth.Average; got > 1.001*sum || got == 0 || r.Bandwidth.Peak == 0 {
				t.Errorf("both %v, side %d: %+v of all devices, and the sum is %.0f bytes/s", both, side, r.Bandwidth, sum)
			}
		}
	}
}

// Each device has its own rate. If the messages of one take longer, a warning says that the sum is too small.
func TestDevicesAtDifferentSpeeds(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 4096, 300)
	p.Devices = 2
	slow := func(side int, c verbs.Context) verbs.Context {
		if side == 1 || c.Device().Name() == "shm_whole" {
			return c
		}
		return testdevice.Context(c, testdevice.Options{PostDelay: testdevice.Constant(500 * time.Microsecond).Posts})
	}
	files, errs := pair{device: twoDevices, plan: p, wrap: slow}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	r := onlyRow(t, files[0])
	fast, late := r.Devices[0].Bandwidth, r.Devices[1].Bandwidth
	if fast.Average < late.Average || late.Seconds < 0.14 || r.Bandwidth.Seconds < late.Seconds {
		t.Errorf("the fast device has %+v, the slow one %+v, both have %+v", fast, late, r.Bandwidth)
	}
	if !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.ID == result.WarnDevicesApart }) {
		t.Errorf("%v of %v s have no warning: %v", fast.Seconds, r.Bandwidth.Seconds, r.Warnings)
	}
}

// The rate of a latency test is that of all devices together, and each has its share.
func TestRateOfDevices(t *testing.T) {
	p := withRate(option.OpSend, option.ModePoll, 2000, 40)
	p.Devices = 2
	files, errs := pair{device: twoDevices, plan: p}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	r := onlyRow(t, files[0])
	if got := [3]float64{r.Load.Offered, r.Devices[0].Load.Offered, r.Devices[1].Load.Offered}; got != [3]float64{2000, 1000, 1000} {
		t.Errorf("offered rates of all and each are %v", got)
	}
}

// A peer whose round or row lacks the part of a device, or has one too many, has sent an invalid message.
func TestPeerWithoutPartsOfDevices(t *testing.T) {
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 100)
	p.Devices = 2
	for _, c := range []struct {
		what string
		peer func(oob.Peer) oob.Peer
	}{
		{"result", func(p oob.Peer) oob.Peer { return partless{p, true} }},
		{"row", func(p oob.Peer) oob.Peer { return partless{p, false} }},
	} {
		_, errs := pair{device: twoDevices, plan: p, peer: func(side int, p oob.Peer) oob.Peer {
			if side == 1 {
				return c.peer(p)
			}
			return p
		}}.run(t)
		var bad *oob.MessageError
		if !errors.As(errs[0], &bad) || !strings.Contains(errs[0].Error(), "devices has 1 parts, want 2") {
			t.Errorf("%s: %v", c.what, errs[0])
		}
	}
}

// partless sends rounds or rows with one device too few.
type partless struct {
	oob.Peer
	rounds bool
}

func (p partless) Result(mine oob.Round) (oob.Round, error) {
	if p.rounds {
		mine.Devices = mine.Devices[:1]
	}
	return p.Peer.Result(mine)
}

func (p partless) Row(mine oob.Row) (oob.Row, error) {
	if !p.rounds {
		mine.Devices = mine.Devices[:1]
	}
	return p.Peer.Row(mine)
}

// If one of several devices fails, both sides end.
func TestOneOfSeveralDevicesFails(t *testing.T) {
	p := testPlan(option.OpWrite, option.KindBandwidth, 64, 100)
	p.Devices = 2
	_, errs := pair{device: twoDevices, plan: p, wrap: func(side int, c verbs.Context) verbs.Context {
		if side == 0 && c.Device().Name() == "shm_block128" {
			return faulty{c}
		}
		return c
	}}.run(t)
	for side, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "post_send faulty qp") {
			t.Errorf("side %d: %v", side, err)
		}
	}
}
