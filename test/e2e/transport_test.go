package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
)

// carried are the transports with what they carry.
var carried = []struct {
	transport option.Transport
	ops       []option.Op
}{
	{option.RC, []option.Op{option.OpWrite, option.OpSend, option.OpRead, option.OpAtomic}},
	{option.UC, []option.Op{option.OpWrite, option.OpSend}},
	{option.UD, []option.Op{option.OpSend}},
	{option.XRC, []option.Op{option.OpWrite, option.OpSend, option.OpRead, option.OpAtomic}},
	{option.SRD, []option.Op{option.OpWrite, option.OpSend, option.OpRead}},
}

// plans are all programs over all transports that carry their operations, SENDs with a shared
// receive queue too where QPs may have one and have receives of their own without.
func plans() (all []option.Plan) {
	for _, c := range carried {
		for _, op := range c.ops {
			for _, kind := range []string{option.KindBandwidth, option.KindLatency} {
				p := option.Plan{Test: option.Test{Op: op, Kind: kind}, Transport: c.transport}
				all = append(all, p)
				if op == option.OpSend && (c.transport == option.RC || c.transport == option.UD) {
					p.UseSRQ = true
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// optionsOf are those that make a plan of [plans].
func optionsOf(p *option.Plan) string {
	options := "-c " + string(p.Transport)
	if p.Kind == option.KindBandwidth {
		options += " -q 2"
	}
	if p.UseSRQ {
		options += " --use-srq"
	}
	if p.Op != option.OpAtomic {
		options += fmt.Sprintf(" -s %d", sizeOf(p))
	}
	return options
}

// sizeOf is the size of a plan's messages: more than fits into a request.
func sizeOf(p *option.Plan) int {
	if p.Op == option.OpAtomic {
		return 8
	}
	return 1000
}

// TestTransportsOfLibibverbs runs every program over every transport, in all modes that there
// are, with every byte checked, through libibverbs.
func TestTransportsOfLibibverbs(t *testing.T) {
	env := stub(t)
	for _, plan := range plans() {
		options := optionsOf(&plan)
		t.Run(plan.Program()+" "+options, func(t *testing.T) {
			p := newPlace(t, "*.json")
			p.env = env
			if plan.Transport == option.SRD {
				p.env = append(slices.Clone(env), efa...)
			}
			p.run(statusDone, plan.Program(), "",
				"-d stub0 --compare --rounds 2 --verify -n 30 --out_json_file client.json "+options)
			want := modes
			if plan.NoData() != "" {
				want = modes[1:]
			}
			p.arrived(&plan, want)
		})
	}
}

// TestDeviceTransports runs over an RDMA device what it has beside RC, and atomic operations. What
// it does not have is refused by name. Half of what UD has is connected through rdma_cm.
func TestDeviceTransports(t *testing.T) {
	for i, plan := range plans() {
		if plan.Transport == option.RC && plan.Op != option.OpAtomic && !plan.UseSRQ ||
			plan.Transport == option.XRC && plan.Op != option.OpSend {
			continue
		}
		options := optionsOf(&plan)
		t.Run(plan.Program()+" "+options, func(t *testing.T) {
			p, device := onDevice(t, "*.json")
			mode := deviceModes[i%len(deviceModes)]
			if plan.Kind == option.KindBandwidth {
				options += " -b"
			}
			if plan.Transport == option.UD && plan.UseSRQ && *address != "" {
				options, p.host = options+" -R", *address
			}
			server, client := p.both(plan.Program(), "", device+" --verify -n 50 --out_json_file client.json --completion "+mode+" "+options)
			client.within(patience)
			server.within(patience)
			if said := client.err.String(); strings.Contains(said, "the device offers no "+string(plan.Transport)) || strings.Contains(said, "SRD is a transport of EFA devices") {
				t.Skip(strings.TrimSpace(said))
			}
			client.ends(statusDone, patience)
			server.ends(statusDone, patience)
			p.arrived(&plan, []string{mode})
		})
	}
}

// arrived checks in the client's file that the modes were measured, of which mode event may
// never have slept, and that what was sent came, and as it was.
func (p *place) arrived(plan *option.Plan, want []string) {
	p.t.Helper()
	f := p.readResult("client.json")
	var got []string
	for _, n := range f.NotMeasured {
		got = append(got, string(n.Mode))
	}
	for _, r := range f.Rows {
		got = append(got, r.Mode)
		if v := r.Verify; v == nil || v.Messages == 0 || v.Bad() != 0 {
			p.t.Fatalf("mode %s: checked %+v", r.Mode, v)
		}
		switch d := r.Delivery; {
		case (d != nil) != plan.Transport.Lossy():
			p.t.Fatalf("mode %s over %s: delivery %+v", r.Mode, plan.Transport, d)
		case d != nil && (d.Sent == 0 || d.Lost*2 > d.Sent):
			p.t.Fatalf("mode %s over %s: of %d messages %d were lost", r.Mode, plan.Transport, d.Sent, d.Lost)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		p.t.Fatalf("modes %q, want %q", got, want)
	}
}
