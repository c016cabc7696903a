package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// turns is a comparison in which each mode's rounds are so many times those of poll, by
// size, give or take 2 %.
func turns(t *testing.T, op, kind string, sizes []int, times map[string][]float64) *result.File {
	t.Helper()
	var modes []string
	for _, mode := range result.ModeOrder {
		if times[mode] != nil || mode == "poll" {
			modes = append(modes, mode)
		}
	}
	f := synthetic.File(t, op, kind, sizes, modes...)
	for i := range f.Rows {
		r := &f.Rows[i]
		for j := range r.Rounds {
			v := 1000.0
			if r.Mode != "poll" {
				v *= times[r.Mode][slices.Index(sizes, r.Size)] * (0.98 + 0.04*float64(j%2))
			}
			r.Rounds[j].P50Ns, r.Rounds[j].Average = v, v
		}
	}
	return f
}

var threeSizes = []int{8, 4096, 65536}

// usual are write, send and read in which data is faster with small messages.
func usual(t *testing.T, change func(f *result.File)) []*result.File {
	var files []*result.File
	for _, op := range []string{"write", "send", "read"} {
		files = append(files,
			turns(t, op, result.KindLatency, threeSizes, map[string][]float64{"data": {0.6, 0.9, 1}, "event": {30, 20, 2}}),
			turns(t, op, result.KindBandwidth, threeSizes, map[string][]float64{"data": {2.5, 1, 0.8}, "event": {0.5, 0.7, 1}}))
	}
	for _, f := range files {
		change(f)
	}
	return files
}

// answering makes both sides of a run answer the same about the order of data.
func answering(device, order string) func(f *result.File) {
	return func(f *result.File) {
		for _, s := range []*result.Side{&f.Local, &f.Peer} {
			s.Device.Name, s.Order.Answer = device, order
		}
	}
}

// onHardware makes both sides of a run RDMA devices.
func onHardware(f *result.File) {
	for _, s := range []*result.Side{&f.Local, &f.Peer} {
		s.Device.Name, s.Device.Backend, s.Device.Software = "mlx5_0", "ibv", ""
		s.Libraries["ibv"] = "libibverbs.so.1.8.28.0"
	}
}

// withoutData is what the gate leaves of a run.
func withoutData(f *result.File) {
	f.Parameters.Modes = []string{"poll", "event"}
	f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool { return r.Mode == "data" })
	f.Warnings = append(f.Warnings, result.Warning{ID: "data-not-run", Text: "data mode was left out"})
}

// checkedFile is a bandwidth test in which every byte was checked.
func checkedFile(t *testing.T, op string, bad map[string]result.Verify) *result.File {
	f := turns(t, op, result.KindBandwidth, []int{8}, map[string][]float64{"data": {1}, "event": {1}})
	f.Parameters.Verify = true
	for i := range f.Rows {
		v := bad[f.Rows[i].Mode]
		v.Messages = 1234567
		f.Rows[i].Verify = &v
	}
	return f
}

// tornAt is a test with every byte checked in which messages of some sizes were torn.
func tornAt(t *testing.T, sizes ...int) *result.File {
	f := synthetic.File(t, "write", result.KindBandwidth, randomSizes, "data", "poll")
	f.Parameters.Verify = true
	for i := range f.Rows {
		r := &f.Rows[i]
		r.Verify = &result.Verify{Messages: 100}
		if r.Mode == "data" && slices.Contains(sizes, r.Size) {
			r.Verify.Torn = 1
		}
	}
	return f
}

// alongQPs are runs in which data is faster over few QPs and slower over many.
func alongQPs(t *testing.T) []*result.File {
	var files []*result.File
	for i, n := range []int{1, 4, 16, 64, 256, 1024} {
		f := turns(t, "write", result.KindBandwidth, []int{64}, map[string][]float64{"data": {[]float64{3, 2.5, 2, 1, 0.7, 0.3}[i]}, "event": {0.5}})
		f.Parameters.QPs = n
		files = append(files, f)
	}
	return files
}

// noisy makes the rounds of a mode differ so much that they tell nothing.
func noisy(f *result.File, mode string) {
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == mode {
			for j := range r.Rounds {
				wild := []float64{0.4, 2.2}[j%2]
				r.Rounds[j].P50Ns, r.Rounds[j].Average = 1000*wild, 1000*wild
			}
		}
	}
}

// serversFile is the file that the server of a run writes.
func serversFile(f *result.File) *result.File {
	server := *f
	server.Role, server.Local, server.Peer = "server", f.Peer, f.Local
	server.Rows = slices.Clone(f.Rows)
	for i := range server.Rows {
		r := &server.Rows[i]
		r.Local, r.Peer = r.Peer, r.Local
	}
	return &server
}

// alongPauses are runs with ever less traffic.
func alongPauses(t *testing.T) []*result.File {
	var files []*result.File
	for _, gap := range []time.Duration{0, 10 * time.Microsecond, time.Millisecond} {
		f := turns(t, "write", result.KindLatency, []int{64}, map[string][]float64{"data": {0.7}, "event": {40}})
		f.Parameters.Gap = gap
		for i := range f.Rows {
			if r := &f.Rows[i]; r.Mode == "event" {
				r.Peer.Busy = 0.031
			}
		}
		files = append(files, f)
	}
	return files
}

// A verdictCase is files and what their verdict must be right about.
type verdictCase struct {
	name  string
	files []*result.File
}

func verdictCases(t *testing.T) []verdictCase {
	nothing := func(*result.File) {}
	one := func(change func(f *result.File)) []*result.File {
		f := turns(t, "write", result.KindLatency, threeSizes, map[string][]float64{"data": {0.6, 0.9, 1}, "event": {30, 20, 2}})
		change(f)
		return []*result.File{f}
	}
	data := func(change func(r *result.Row)) func(f *result.File) {
		return func(f *result.File) {
			answering("shm_unordered", result.OrderNone)(f)
			for i := range f.Rows {
				if r := &f.Rows[i]; r.Mode == "data" {
					r.Forced = true
					change(r)
				}
			}
		}
	}
	torn := map[string]result.Verify{"data": {Torn: 17, Stale: 1}}
	return []verdictCase{
		{"embedded device", slices.Concat(usual(t, nothing), alongQPs(t), alongPauses(t),
			[]*result.File{checkedFile(t, "write", nil), checkedFile(t, "send", nil)})},
		{"no promise", usual(t, func(f *result.File) {
			answering("rxe0", result.OrderNone)(f)
			f.Local.Device.Software, f.Peer.Device.Software = "rdma_rxe, RoCE in software over eth0", "rdma_rxe, RoCE in software over eth0"
			withoutData(f)
		})},
		{"blocks only", slices.Concat(one(answering("shm_block128", result.OrderBlocks)), func() []*result.File {
			f := checkedFile(t, "write", nil)
			answering("shm_block128", result.OrderBlocks)(f)
			return []*result.File{f}
		}())},
		{"hardware, one test", one(onHardware)},
		{"forced", one(data(func(*result.Row) {}))},
		{"forced and as sent", one(data(func(r *result.Row) { r.Verify = &result.Verify{Messages: 5000} }))},
		{"forced and torn", one(data(func(r *result.Row) { r.Verify = &result.Verify{Messages: 5000, Torn: 3} }))},
		{"torn", append(one(nothing), checkedFile(t, "write", torn))},
		{"torn at sizes apart", []*result.File{tornAt(t, 2, 512, 1<<20)}},
		{"one device of two is torn", slices.Concat(one(nothing), one(answering("shm_liar", result.OrderWhole)), func() []*result.File {
			f := checkedFile(t, "write", torn)
			answering("shm_liar", result.OrderWhole)(f)
			return []*result.File{f}
		}())},
		{"RC with UC", slices.Concat(one(onHardware), one(func(f *result.File) {
			onHardware(f)
			answering("mlx5_0", result.OrderNone)(f)
			f.Parameters.Transport = "UC"
			withoutData(f)
		}))},
		{"a shared receive queue", []*result.File{sends(t, "RC", true), sends(t, "RC", false)}},
		{"all transports", synthetic.Transports(t)},
		{"UD alone", []*result.File{sends(t, "UD", false)}},
		{"UC alone", one(func(f *result.File) { f.Parameters.Transport = "UC" })},
		{"wrong after a completion", append(one(nothing), checkedFile(t, "write", map[string]result.Verify{"poll": {Duplicates: 2}}))},
		{"unknown", one(func(f *result.File) {
			onHardware(f)
			answering("mlx4_0", result.OrderUnknown)(f)
			withoutData(f)
		})},
		{"sides that answer differently", one(func(f *result.File) {
			onHardware(f)
			f.Peer.Device.Name, f.Peer.Order.Answer = "mlx4_0", result.OrderNone
			withoutData(f)
		})},
		{"the receiver alone promises", func() []*result.File {
			f := turns(t, "write", result.KindBandwidth, []int{64}, map[string][]float64{"data": {2}})
			onHardware(f)
			f.Local.Device.Name, f.Local.Order.Answer = "mlx4_0", result.OrderNone
			return []*result.File{f}
		}()},
		{"one size", []*result.File{turns(t, "send", result.KindBandwidth, []int{64}, map[string][]float64{"data": {1}, "event": {0.5}})}},
		{"poll is fastest", []*result.File{turns(t, "write", result.KindLatency, []int{8, 64}, map[string][]float64{"data": {1.2, 1.3}, "event": {4, 5}})}},
		{"event is fastest", []*result.File{turns(t, "write", result.KindBandwidth, []int{8, 64}, map[string][]float64{"data": {1.2, 0.9}, "event": {1.5, 1}})}},
		{"all are as fast", []*result.File{turns(t, "write", result.KindBandwidth, []int{8}, map[string][]float64{"data": {1}, "event": {1}})}},
		{"event may be as fast as both", one(func(f *result.File) { noisy(f, "event") })},
		{"data may be faster", one(func(f *result.File) { noisy(f, "data") })},
		{"one run with a pause", one(func(f *result.File) { f.Parameters.Gap = time.Millisecond })},
		{"a sweep with a place that failed", func() []*result.File {
			files := alongQPs(t)
			files[2].Rows, files[2].Error = nil, "create QP 7 of 16: cannot allocate memory"
			return files
		}()},
		{"too few rounds", one(func(f *result.File) {
			for i := range f.Rows {
				f.Rows[i].Rounds = f.Rows[i].Rounds[:3]
			}
		})},
		{"no ratio", one(func(f *result.File) {
			for i := range f.Rows {
				f.Rows[i].NoRatio = "READs were done when the post returned, so no mode waits for anything"
			}
		})},
		{"interrupted", one(func(f *result.File) {
			f.Interrupted, f.Rows = true, f.Rows[:2]
			f.NotMeasured = []result.Missing{{Size: 8, Mode: "event", Why: "no side ever slept for an event"}}
		})},
		{"ended early", one(func(f *result.File) {
			f.Error, f.Rows, f.Parameters.Modes = "connection\x1b lost", nil, nil
			f.Local.Order, f.Peer.Order = result.Order{}, result.Order{}
		})},
		{"several runs", slices.Concat(one(nothing), one(func(f *result.File) {
			answering("shm_block128", result.OrderBlocks)(f)
			f.Rows[0].Warnings = []result.Warning{{ID: "preempted"}}
		}), []*result.File{checkedFile(t, "write", nil)})},
		{"only checked", []*result.File{checkedFile(t, "write", nil)}},
		{"only the mean", one(meanOnlyRows)},
	}
}

// meanOnlyRows leaves latencies nothing but their mean.
func meanOnlyRows(f *result.File) {
	f.Parameters.NoPeak = true
	for i := range f.Rows {
		r := &f.Rows[i]
		r.Latency = &result.Latency{N: r.Latency.N, MeanNs: r.Latency.MeanNs, Factor: 0.5, MeanOnly: true}
		for j := range r.Rounds {
			r.Rounds[j].MeanNs, r.Rounds[j].P50Ns = r.Rounds[j].P50Ns, 0
		}
	}
}

// sends is a comparison of SENDs, without mode data where they cannot have it.
func sends(t *testing.T, transport option.Transport, srq bool) *result.File {
	f := turns(t, "send", result.KindLatency, []int{8, 64}, map[string][]float64{"data": {0.8, 0.9}, "event": {4, 5}})
	f.Parameters.Transport, f.Parameters.UseSRQ = transport, srq
	if f.Parameters.NoData() != "" {
		withoutData(f)
	}
	if transport.Lossy() {
		for i := range f.Rows {
			f.Rows[i].Delivery = &result.Delivery{Sent: 1000, Lost: uint64(i)}
		}
	}
	return f
}
