package reports

import (
	"fmt"
	"math"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// AddPerftest adds the members of perftest's JSON report to a finished run, with the options of its side. As in
// perftest, the results are those of the last row.
func AddPerftest(f *result.File, own *option.Own) {
	f.TestInfo = testInfo(f, own)
	if n := len(f.Rows); n > 0 && f.Rows[n-1].Measured(f.Kind) {
		f.Results = results(f, rows.AsPerftest(f, &f.Rows[n-1]), own)
	}
}

func testInfo(f *result.File, own *option.Own) *result.TestInfo {
	p, d, imm := &f.Parameters, &f.Local.Device, f.Parameters.WriteWithImm
	info := &result.TestInfo{
		Test: strings.ReplaceAll(rows.FullTitle(f), " ", "_"), DualPort: onOff(f.Local.Several()), Device: f.Local.DeviceNames(), QPs: p.QPs, Transport: rows.TransportType(d),
		Connection: string(p.Transport), UsingSRQ: onOff(p.UseSRQ), Relaxed: onOff(p.Relaxed), NewPosts: onOff(!p.OldPostSend && d.Backend == "ibv"),
		MTU: p.MTU, LinkType: d.LinkLayer, RDMACM: onOff(p.RDMACM), ROCm: onOff(own.ROCm >= 0), MUSA: "OFF", Exchange: "Ethernet",
	}
	if p.Completion == option.ModeEvent {
		info.Events = fmt.Sprintf("Using_%s_comp%d", d.Name, own.Vector)
	}
	if p.Multicast {
		info.Multicast = "on_UD"
	}
	server := f.Role == "server"
	if !server || p.Both {
		info.TxDepth = p.TxDepth
	}
	if (server || p.Both) && (f.Op == option.OpSend || imm) {
		info.RxDepth = p.RxDepth
	}
	if p.PostList > 1 {
		info.PostList = p.PostList
	}
	if p.RecvPostList > 1 {
		info.RecvList = p.RecvPostList
	}
	if f.Kind == option.KindBandwidth {
		info.CQMod = p.CQMod
	}
	info.GIDIndex = atLeast0(d.GIDIndex)
	if result.RoundTrip(f.Op) {
		info.Outstanding = &p.Outs
	} else {
		info.Inline = atLeast0(p.Inline)
	}
	info.CUDA, info.TOS = atLeast0(own.CUDA), atLeast0(p.TOS)
	return info
}

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

// atLeast0 returns a number that may be unset, which is -1.
func atLeast0(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

func results(f *result.File, r *result.Row, own *option.Own) *result.Results {
	all := &result.Results{Size: r.Size}
	if b := r.Bandwidth; b != nil {
		all.Iterations, all.MsgRate = b.Messages, decimal(units.Mpps(b.MsgRate))
		all.Peak, all.Average = decimal(units.Rate(b.Peak, own.Gbits)), decimal(units.Rate(b.Average, own.Gbits))
	}
	if l := r.Latency; l != nil {
		all.Iterations, all.Mean = l.N, usec(l.MeanNs)
		if rows.MeanAlone(f) {
			all.Rate = decimal(l.Rate)
		} else {
			all.Min, all.Max, all.Typical, all.Stdev = usec(l.MinNs), usec(l.MaxNs), usec(l.P50Ns), usec(l.StdevNs)
			all.P99, all.P999 = usec(l.P99Ns), usec(l.P999Ns)
		}
	}
	if util := r.Local.CPUUtil; util != nil {
		all.CPUUtil = decimal(*util * 100)
	}
	switch own.Output {
	case option.OutputBandwidth:
		all.OnlyBandwidth = all.Average
	case option.OutputRate:
		all.OnlyRate = all.MsgRate
	case option.OutputLatency:
		all.OnlyLatency = all.Mean
	}
	return all
}

func usec(ns float64) *float64 { return decimal(units.Usec(ns)) }

// decimal returns a number with at most six decimals, which JSON has without an exponent.
func decimal(v float64) *float64 {
	v = math.Round(units.Finite(v)*1e6) / 1e6
	return &v
}
