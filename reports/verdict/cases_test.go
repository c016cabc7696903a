package verdict

import (
	"slices"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

var threeSizes = []int{8, 4096, 65536}

// usual returns runs of write, send and read in which data is faster for small messages. The control
// fails in one of them.
func usual(t *testing.T, change func(f *result.File)) []*result.File {
	var files []*result.File
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		files = append(files,
			testresult.Comparison(t, op, option.KindLatency, threeSizes, map[option.Mode][]float64{"data": {0.6, 0.9, 1}, "adaptive": {1, 1.01, 1.1}, "event": {30, 20, 2}}),
			testresult.Comparison(t, op, option.KindBandwidth, threeSizes, map[option.Mode][]float64{"data": {2.5, 1, 0.8}, "adaptive": {0.9, 0.95, 1}, "event": {0.5, 0.7, 1}}))
	}
	for i, f := range files {
		change(f)
		testresult.Controlled(f, 1, []float64{1, 1.04}[i%2], 1)
	}
	return files
}

// answering gives both sides of a run the same answer about data order.
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

// withoutData removes mode data from a run, as for a device without a promise.
func withoutData(f *result.File) {
	f.Parameters.Modes = []option.Mode{"poll", "event"}
	f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool { return r.Mode == "data" })
	f.Warnings = append(f.Warnings, result.Warning{ID: "data-not-run", Text: "data mode was left out"})
}

// checkedFile returns a bandwidth test with every byte checked.
func checkedFile(t *testing.T, op option.Op, bad map[option.Mode]result.Verify) *result.File {
	f := testresult.Comparison(t, op, option.KindBandwidth, []int{8}, map[option.Mode][]float64{"data": {1}, "event": {1}})
	f.Parameters.Verify = true
	for i := range f.Rows {
		v := bad[f.Rows[i].Mode]
		v.Messages = 1234567
		f.Rows[i].Verify = &v
	}
	return f
}

// tornAt returns a test with every byte checked and torn messages at some sizes.
func tornAt(t *testing.T, sizes ...int) *result.File {
	f := testresult.File(t, "write", option.KindBandwidth, randomSizes, "data", "poll")
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

// alongQPs returns runs in which data is faster over few QPs and slower over many.
func alongQPs(t *testing.T) []*result.File {
	var files []*result.File
	for i, n := range []int{1, 4, 16, 64, 256, 1024} {
		f := testresult.Comparison(t, "write", option.KindBandwidth, []int{64}, map[option.Mode][]float64{"data": {[]float64{3, 2.5, 2, 1, 0.7, 0.3}[i]}, "event": {0.5}})
		f.Parameters.QPs = n
		files = append(files, f)
	}
	return files
}

// noisy makes the rounds of a mode vary too much for a conclusion.
func noisy(f *result.File, mode option.Mode) {
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == mode {
			for j := range r.Rounds {
				wild := []float64{0.4, 2.2}[j%2]
				r.Rounds[j].P50Ns, r.Rounds[j].Average = 1000*wild, 1000*wild
			}
		}
	}
}

// serversFile returns the file that the server of a run writes.
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

// alongPauses returns runs with increasing pauses.
func alongPauses(t *testing.T) []*result.File {
	var files []*result.File
	for i, gap := range []time.Duration{0, 10 * time.Microsecond, time.Millisecond} {
		f := testresult.Comparison(t, "write", option.KindLatency, []int{64}, map[option.Mode][]float64{"data": {0.7}, "adaptive": {[]float64{1, 1, 41}[i]}, "event": {40}})
		f.Parameters.Gap = gap
		for j := range f.Rows {
			if r := &f.Rows[j]; r.Mode == "event" || r.Mode == "adaptive" && i == 2 {
				r.Peer.Busy = 0.031
			}
		}
		files = append(files, f)
	}
	return files
}

// A verdictCase is the files of one case of the golden file.
type verdictCase struct {
	name  string
	files []*result.File
}

// nothing leaves a run as it is.
func nothing(*result.File) {}

// oneTest returns a run of write latency, changed.
func oneTest(t *testing.T, change func(f *result.File)) []*result.File {
	f := testresult.Comparison(t, "write", option.KindLatency, threeSizes, map[option.Mode][]float64{"data": {0.6, 0.9, 1}, "event": {30, 20, 2}})
	change(f)
	return []*result.File{f}
}

// forced makes the data rows of a run those of a device without a promise, and changes them.
func forced(change func(r *result.Row)) func(f *result.File) {
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

// verdictCases returns the cases in the order of the golden file.
func verdictCases(t *testing.T) []verdictCase {
	return slices.Concat(promiseCases(t), speedCases(t), incompleteCases(t))
}

// promiseCases differ in what the devices promise, and in whether the data was right.
func promiseCases(t *testing.T) []verdictCase {
	torn := map[option.Mode]result.Verify{"data": {Torn: 17, Stale: 1}}
	return []verdictCase{
		{"embedded device", slices.Concat(usual(t, nothing), alongQPs(t), alongPauses(t),
			[]*result.File{checkedFile(t, "write", nil), checkedFile(t, "send", nil)})},
		{"no promise", usual(t, func(f *result.File) {
			answering("rxe0", result.OrderNone)(f)
			f.Local.Device.Software, f.Peer.Device.Software = "rdma_rxe, RoCE in software over eth0", "rdma_rxe, RoCE in software over eth0"
			withoutData(f)
		})},
		{"blocks only", slices.Concat(oneTest(t, answering("shm_block128", result.OrderBlocks)), func() []*result.File {
			f := checkedFile(t, "write", nil)
			answering("shm_block128", result.OrderBlocks)(f)
			return []*result.File{f}
		}())},
		{"hardware, one test", oneTest(t, onHardware)},
		{"forced", oneTest(t, forced(func(*result.Row) {}))},
		{"forced and as sent", oneTest(t, forced(func(r *result.Row) { r.Verify = &result.Verify{Messages: 5000} }))},
		{"forced and torn", oneTest(t, forced(func(r *result.Row) { r.Verify = &result.Verify{Messages: 5000, Torn: 3} }))},
		{"torn", append(oneTest(t, nothing), checkedFile(t, "write", torn))},
		{"torn at sizes apart", []*result.File{tornAt(t, 2, 512, 1<<20)}},
		{"one device of two is torn", slices.Concat(oneTest(t, nothing), oneTest(t, answering("shm_liar", result.OrderWhole)), func() []*result.File {
			f := checkedFile(t, "write", torn)
			answering("shm_liar", result.OrderWhole)(f)
			return []*result.File{f}
		}())},
		{"RC with UC", slices.Concat(oneTest(t, onHardware), oneTest(t, func(f *result.File) {
			onHardware(f)
			answering("mlx5_0", result.OrderNone)(f)
			f.Parameters.Transport = "UC"
			withoutData(f)
		}))},
		{"a shared receive queue", []*result.File{sends(t, "RC", true), sends(t, "RC", false)}},
		{"all transports", testresult.Transports(t)},
		{"UD alone", []*result.File{sends(t, "UD", false)}},
		{"UC alone", oneTest(t, func(f *result.File) { f.Parameters.Transport = "UC" })},
		{"wrong after a completion", append(oneTest(t, nothing), checkedFile(t, "write", map[option.Mode]result.Verify{"poll": {Duplicates: 2}}))},
		{"unknown", oneTest(t, func(f *result.File) {
			onHardware(f)
			answering("mlx4_0", result.OrderUnknown)(f)
			withoutData(f)
		})},
		{"sides that answer differently", oneTest(t, func(f *result.File) {
			onHardware(f)
			f.Peer.Device.Name, f.Peer.Order.Answer = "mlx4_0", result.OrderNone
			withoutData(f)
		})},
		{"the receiver alone promises", func() []*result.File {
			f := testresult.Comparison(t, "write", option.KindBandwidth, []int{64}, map[option.Mode][]float64{"data": {2}})
			onHardware(f)
			f.Local.Device.Name, f.Local.Order.Answer = "mlx4_0", result.OrderNone
			return []*result.File{f}
		}()},
	}
}

// speedCases differ in which mode is the fastest, and in how certain that is.
func speedCases(t *testing.T) []verdictCase {
	return []verdictCase{
		{"one size", []*result.File{testresult.Comparison(t, "send", option.KindBandwidth, []int{64}, map[option.Mode][]float64{"data": {1}, "event": {0.5}})}},
		{"poll is fastest", []*result.File{testresult.Comparison(t, "write", option.KindLatency, []int{8, 64}, map[option.Mode][]float64{"data": {1.2, 1.3}, "event": {4, 5}})}},
		{"event is fastest", []*result.File{testresult.Comparison(t, "write", option.KindBandwidth, []int{8, 64}, map[option.Mode][]float64{"data": {1.2, 0.9}, "event": {1.5, 1}})}},
		{"all are as fast", []*result.File{testresult.Comparison(t, "write", option.KindBandwidth, []int{8}, map[option.Mode][]float64{"data": {1}, "event": {1}})}},
		{"event may be as fast as both", oneTest(t, func(f *result.File) { noisy(f, "event") })},
		{"data may be faster", oneTest(t, func(f *result.File) { noisy(f, "data") })},
		{"one run with a pause", oneTest(t, func(f *result.File) { f.Parameters.Gap = time.Millisecond })},
		{"a sweep with a place that failed", func() []*result.File {
			files := alongQPs(t)
			files[2].Rows, files[2].Error = nil, "create QP 7 of 16: cannot allocate memory"
			return files
		}()},
		{"rounds vary much", oneTest(t, func(f *result.File) {
			f.Rows[0].Warnings = []result.Warning{{ID: result.WarnTwoLevels}}
			f.Rows[1].Warnings = []result.Warning{{ID: result.WarnUnsteady}}
		})},
		{"adaptive saves cores", func() []*result.File {
			f := testresult.Comparison(t, "send", option.KindLatency, []int{8, 64}, map[option.Mode][]float64{"data": {0.8, 1}, "adaptive": {1, 1}, "event": {9, 9}})
			for i := range f.Rows {
				if r := &f.Rows[i]; r.Mode == "adaptive" {
					r.Local.Busy, r.Peer.Busy = 0.31, 0.4
				}
			}
			return []*result.File{f}
		}()},
		{"adaptive alone with poll", []*result.File{testresult.Comparison(t, "atomic", option.KindLatency, []int{8, 64}, map[option.Mode][]float64{"adaptive": {1, 1.2}})}},
	}
}

// incompleteCases lack rounds, rows, statistics or comparisons.
func incompleteCases(t *testing.T) []verdictCase {
	return []verdictCase{
		{"too few rounds", oneTest(t, func(f *result.File) {
			for i := range f.Rows {
				f.Rows[i].Rounds = f.Rows[i].Rounds[:3]
			}
		})},
		{"no ratio", oneTest(t, func(f *result.File) {
			for i := range f.Rows {
				f.Rows[i].NoRatio = "READs were done when the post returned, so no mode waits for anything"
			}
		})},
		{"interrupted", oneTest(t, func(f *result.File) {
			f.Interrupted, f.Rows = true, f.Rows[:2]
			f.NotMeasured = []result.Missing{{Size: 8, Mode: "event", Why: "no side ever slept for an event"}}
		})},
		{"ended early", oneTest(t, func(f *result.File) {
			f.Error, f.Rows, f.Parameters.Modes = "connection\x1b lost", nil, nil
			f.Local.Order, f.Peer.Order = result.Order{}, result.Order{}
		})},
		{"several runs", slices.Concat(oneTest(t, nothing), oneTest(t, func(f *result.File) {
			answering("shm_block128", result.OrderBlocks)(f)
			f.Rows[0].Warnings = []result.Warning{{ID: "preempted"}}
		}), []*result.File{checkedFile(t, "write", nil)})},
		{"only checked", []*result.File{checkedFile(t, "write", nil)}},
		{"only the mean", oneTest(t, meanOnlyRows)},
	}
}

// meanOnlyRows removes all latency statistics but the mean.
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

// sends returns a comparison of SENDs, without mode data if the transport excludes it.
func sends(t *testing.T, transport option.Transport, srq bool) *result.File {
	f := testresult.Comparison(t, "send", option.KindLatency, []int{8, 64}, map[option.Mode][]float64{"data": {0.8, 0.9}, "event": {4, 5}})
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
