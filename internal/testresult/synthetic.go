// Package testresult makes result files for tests.
package testresult

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// shape is the distribution of a synthetic latency in nanoseconds.
type shape struct{ base, perKiB, spread, tail float64 }

var shapes = map[option.Mode]shape{
	option.ModeData:     {base: 105, perKiB: 11, spread: 0.06, tail: 0.012},
	option.ModePoll:     {base: 170, perKiB: 11.5, spread: 0.08, tail: 0.012},
	option.ModeCounter:  {base: 140, perKiB: 11.5, spread: 0.08, tail: 0.012},
	option.ModeAdaptive: {base: 175, perKiB: 11.5, spread: 0.08, tail: 0.012},
	option.ModeEvent:    {base: 5600, perKiB: 12, spread: 0.15, tail: 0.03},
}

// Latency draws n latencies for a mode and size, the same in each call, and returns their statistics
// as a run computes them.
func Latency(tb testing.TB, mode option.Mode, size, n int) *result.Latency {
	tb.Helper()
	s := shapes[mode]
	random := rand.New(rand.NewPCG(uint64(size), uint64(len(mode))))
	h := hdrhistogram.New(1, int64(10*time.Second), 3)
	var sum, squares float64
	least, most := math.Inf(1), 0.0
	for range n {
		ns := (s.base + s.perKiB*float64(size)/1024) * math.Exp(s.spread*random.NormFloat64())
		if random.Float64() < s.tail {
			ns += 400 * random.ExpFloat64() * (1 + 30*math.Pow(random.Float64(), 20))
		}
		recorded := int64(2 * ns)
		if err := h.RecordValue(recorded); err != nil {
			tb.Fatal(err)
		}
		ns = float64(recorded) / 2
		sum, squares = sum+ns, squares+ns*ns
		least, most = math.Min(least, ns), math.Max(most, ns)
	}
	at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 2 }
	mean := sum / float64(n)
	return &result.Latency{
		N: uint64(n), MinNs: least, MaxNs: most, MeanNs: mean,
		StdevNs: math.Sqrt(math.Max(squares/float64(n)-mean*mean, 0)),
		P50Ns:   at(50), P90Ns: at(90), P99Ns: at(99), P999Ns: at(99.9), P9999Ns: at(99.99),
		Rate: 1e9 * 0.5 / mean, Factor: 0.5, Histogram: encode(tb, h),
	}
}

func encode(tb testing.TB, h *hdrhistogram.Histogram) string {
	tb.Helper()
	data, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// bandwidth returns synthetic rates of a mode and size.
func bandwidth(mode option.Mode, size int) *result.Bandwidth {
	perMessage := map[option.Mode]float64{option.ModeData: 14, option.ModePoll: 21, option.ModeCounter: 18, option.ModeAdaptive: 22, option.ModeEvent: 60}[mode] // ns
	seconds := 1000 * (perMessage + float64(size)/70) / 1e9
	messages := 1000.0
	b := &result.Bandwidth{
		Messages: 1000, Bytes: uint64(1000 * size), Seconds: seconds,
		Average: messages * float64(size) / seconds, MsgRate: messages / seconds, MeasuredAt: "sender",
	}
	b.Slowest, b.MedianWindow, b.Peak, b.WindowS = b.Average*0.93, b.Average*1.01, b.Average*1.07, 0.001
	if mode == option.ModeData {
		b.MeasuredAt = "receiver"
	}
	return b
}

// File returns a run of an embedded device in the given modes.
func File(tb testing.TB, op option.Op, kind option.Kind, sizes []int, modes ...option.Mode) *result.File {
	tb.Helper()
	side := result.Side{
		Host: "node1", Kernel: "6.1.0-56-amd64", CPU: "Example CPU @ 2.50GHz", CPUs: 2,
		Libraries: map[string]string{"go": "go1.26", "libibverbs": "not used"},
		Device: result.Device{Name: "shm_whole", Backend: "shm", Software: "embedded shared memory",
			Port: 1, LinkLayer: "Ethernet", GID: "fe80::1", GIDIndex: 0},
		Order: result.Order{Query: "ibv_query_qp_data_in_order(RDMA_WRITE, RETURN_CAPS)", Answer: result.OrderWhole},
	}
	f := &result.File{
		Header: result.FileHeader(), Program: option.Test{Op: op, Kind: kind}.Program(), Release: "0.1",
		Op: op, Kind: kind, Role: "client", Command: []string{option.Test{Op: op, Kind: kind}.Program(), "--compare", "-a", "node2"},
		Started:    time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC),
		Finished:   time.Date(2026, 1, 2, 15, 4, 35, 0, time.UTC),
		Parameters: parameters(option.Test{Op: op, Kind: kind}, sizes, modes),
		Local:      side, Peer: side,
		Definitions: result.DefinitionsFor(kind, op), Units: result.UnitsFor(kind),
		Warnings: []result.Warning{{ID: result.WarnSoftwareDevice,
			Text: "software device: embedded shared memory stands in for RDMA hardware, the numbers are of this host's memory"}},
	}
	f.Peer.Host = "node2"
	opcodes := map[option.Mode]string{option.ModeData: "RDMA_WRITE", option.ModePoll: "RDMA_WRITE_WITH_IMM", option.ModeCounter: "RDMA_WRITE", option.ModeAdaptive: "RDMA_WRITE_WITH_IMM", option.ModeEvent: "RDMA_WRITE_WITH_IMM"}
	for _, size := range sizes {
		for _, mode := range modes {
			r := row(tb, kind, mode, size)
			r.Opcode = opcodes[mode]
			if slices.Contains(modes, option.ModeEvent) && mode == option.ModeEvent && size == 2 {
				r.Warnings = []result.Warning{{ID: result.WarnFewSamples, Text: "p99.99 is from fewer than 10000 samples"}}
			}
			f.Rows = append(f.Rows, r)
		}
	}
	return f
}

// parameters returns the parameters of a comparison.
func parameters(t option.Test, sizes []int, modes []option.Mode) result.Parameters {
	p := option.Defaults(t)
	p.Compare, p.Sizes, p.Iterations = true, sizes, 5000
	p.TxDepth = 128
	p = p.Resolve()
	r := result.Parameters{Plan: p, Extent: result.Extent{Modes: modes}}
	p.CQMod, p.Inline, p.MTU = 100, 220, 4096
	r.Decide(p)
	return r
}

// row returns a row of 20 rounds.
func row(tb testing.TB, kind option.Kind, mode option.Mode, size int) result.Row {
	r := result.Row{Size: size, Mode: mode, Touch: "read", Slots: 17, Span: 17, Depth: 16, WarmupS: 0.05}
	cost := result.Cost{Busy: 0.998, CPUs: []int{1}, Preempted: 2, PreemptedPerS: 20}
	if kind == option.KindLatency {
		r.Latency = Latency(tb, mode, size, 5000)
		cost.CPUNs = 2 * r.Latency.MeanNs
	} else {
		r.Bandwidth, r.CQMod = bandwidth(mode, size), 4
		cost.CPUNs = 1e9 / r.Bandwidth.MsgRate
	}
	if mode == option.ModeEvent {
		cost = result.Cost{Busy: 0.41, SleepsPerMessage: 1, Sleeps: 5000, CPUNs: 2400 + float64(size)/80}
	}
	r.Local, r.Peer = cost, cost
	r.Rounds = rounds(&r)
	return r
}

// rounds returns 20 rounds whose figures differ from those of the row by up to 2 %, differently in each
// mode.
func rounds(r *result.Row) []result.Round {
	random := rand.New(rand.NewPCG(uint64(r.Size), uint64(r.Mode[0])))
	all := make([]result.Round, 20)
	for i := range all {
		off := 0.98 + 0.04*random.Float64()
		all[i] = result.Round{Run: 1, Messages: 250, Seconds: 0.005}
		if l := r.Latency; l != nil {
			all[i].P50Ns, all[i].MeanNs = l.P50Ns*off, l.MeanNs*off
		} else {
			all[i].Average = r.Bandwidth.Average * off
		}
	}
	return all
}
