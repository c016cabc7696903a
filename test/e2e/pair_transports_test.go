package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/test/stub"
)

// carried lists the operations of each transport.
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

// plans returns every program over every transport that carries its operation. Over RC and UD, where
// a QP may have its own receives or an SRQ, SENDs are there with both.
func plans() (all []option.Plan) {
	for _, c := range carried {
		for _, op := range c.ops {
			for _, kind := range []option.Kind{option.KindBandwidth, option.KindLatency} {
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

// sampleOfPlans returns every operation of every transport, with and without an SRQ, alternately in a
// bandwidth and a latency test.
func sampleOfPlans() (sample []option.Plan) {
	type carriage struct {
		transport option.Transport
		op        option.Op
		srq       bool
	}
	kinds := map[carriage]option.Kind{}
	for _, p := range plans() {
		c := carriage{p.Transport, p.Op, p.UseSRQ}
		if kinds[c] == "" {
			kinds[c] = []option.Kind{option.KindBandwidth, option.KindLatency}[len(kinds)%2]
		}
		if p.Kind == kinds[c] {
			sample = append(sample, p)
		}
	}
	return sample
}

// optionsOf returns the options of a plan of [plans].
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

// sizeOf returns the size of a plan's messages: too long for inline data.
func sizeOf(p *option.Plan) int {
	if p.Op == option.OpAtomic {
		return 8
	}
	return 1000
}

// TestTransportsThroughLibibverbs runs [sampleOfPlans] through libibverbs, in every completion mode,
// and checks every byte; TestTrialOfTransports runs all [plans].
func TestTransportsThroughLibibverbs(t *testing.T) { runThroughLibibverbs(t, sampleOfPlans()) }

func runThroughLibibverbs(t *testing.T, plans []option.Plan) {
	env := stub.Env(t)
	for _, plan := range plans {
		options := optionsOf(&plan)
		t.Run(plan.Program()+" "+options, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = env
			if plan.Transport == option.SRD {
				w.env = append(slices.Clone(env), efa...)
			}
			w.runPair(statusDone, plan.Program(), "",
				"-d stub0 --compare --runs 1 --rounds 2 --verify -n 30 --out_json_file client.json "+options)
			want := compared
			if plan.NoData() != "" {
				want = compared[1:]
			}
			w.wantDelivered(&plan, want)
		})
	}
}

// TestDeviceTransports runs the device's transports other than RC, and atomic operations and the SRQ
// over RC. Programs refuse a transport that the device lacks and name it. UD with an SRQ connects
// through rdma_cm.
func TestDeviceTransports(t *testing.T) {
	for i, plan := range plans() {
		if plan.Transport == option.RC && plan.Op != option.OpAtomic && !plan.UseSRQ ||
			plan.Transport == option.XRC && plan.Op != option.OpSend {
			continue
		}
		options := optionsOf(&plan)
		t.Run(plan.Program()+" "+options, func(t *testing.T) {
			w, device := onDevice(t, "*.json")
			mode := deviceModes[i%len(deviceModes)]
			if plan.Kind == option.KindBandwidth {
				options += " -b"
			}
			if plan.Transport == option.UD && plan.UseSRQ && *address != "" {
				options, w.host = options+" -R", *address
			}
			server, client := w.startPair(plan.Program(), "", device+" --verify -n 50 --out_json_file client.json --completion "+mode+" "+options)
			client.wait(patience)
			server.wait(patience)
			if said := client.err.String(); strings.Contains(said, "the device has no "+string(plan.Transport)) || strings.Contains(said, "SRD is a transport of EFA devices") {
				t.Skip(strings.TrimSpace(said))
			}
			client.exits(statusDone, patience)
			server.exits(statusDone, patience)
			w.wantDelivered(&plan, []string{mode})
		})
	}
}

// wantDelivered checks the client's result file: the modes were measured, or no side slept for an
// event in mode event; every byte is right; over a lossy transport at most half of the messages are
// lost.
func (w *workspace) wantDelivered(plan *option.Plan, want []string) {
	w.t.Helper()
	f := w.readResult("client.json")
	var got []string
	for _, n := range f.NotMeasured {
		got = append(got, string(n.Mode))
	}
	for _, r := range f.Rows {
		if r.Name() != "event+same-cpu" { // on hosts with two CPUs only
			got = append(got, r.Name())
		}
		if v := r.Verify; v == nil || v.Messages == 0 || v.Bad() != 0 {
			w.t.Fatalf("mode %s: --verify found %+v", r.Mode, v)
		}
		switch d := r.Delivery; {
		case (d != nil) != plan.Transport.Lossy():
			w.t.Fatalf("mode %s over %s: delivery %+v", r.Mode, plan.Transport, d)
		case d != nil && (d.Sent == 0 || d.Lost*2 > d.Sent):
			w.t.Fatalf("mode %s over %s: of %d messages %d were lost", r.Mode, plan.Transport, d.Sent, d.Lost)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		w.t.Fatalf("modes %q, want %q", got, want)
	}
}
