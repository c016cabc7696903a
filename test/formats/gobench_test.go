package formats

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/result"
	"golang.org/x/perf/benchfmt"
)

// gobench returns a file in Go's benchmark format.
func gobench(t *testing.T, f *result.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := formats.Write(&b, []*result.File{f}, option.FormatGobench); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The Go benchmark format has a line for each round of each row, which benchstat reads.
func TestBenchstatReadsTheGobenchFormat(t *testing.T) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := testresult.File(t, "write", kind, []int{2, 65536}, "data", "poll")
		f.Rows[1].Variant = option.VariantControl
		var want []float64
		for _, r := range f.Rows {
			for _, round := range r.Rounds {
				if kind == option.KindLatency {
					want = append(want, round.MeanNs/1e9)
				} else {
					want = append(want, round.Average)
				}
			}
		}
		unit := map[option.Kind]string{option.KindLatency: "sec/op", option.KindBandwidth: "B/s"}[kind]
		reader, n := benchfmt.NewReader(strings.NewReader(gobench(t, f)), "test"), 0
		for reader.Scan() {
			line, ok := reader.Result().(*benchfmt.Result)
			if !ok {
				t.Fatalf("%s: %v", kind, reader.Result())
			}
			value, _ := line.Value(unit)
			if n >= len(want) || math.Abs(value/want[n]-1) > 1e-9 {
				t.Errorf("%s: line %d has %g %s, want one of %d lines with %g", kind, n, value, unit, len(want), want[min(n, len(want)-1)])
			}
			if name, parts := line.Name.Parts(); len(parts) != 2 || !strings.HasPrefix(string(name), "Write") {
				t.Errorf("%s: name %s, parts %q", kind, name, parts)
			}
			if line.GetConfig("device") != "shm_whole" || line.GetConfig("qps") != "1" {
				t.Errorf("%s: device %q, qps %q", kind, line.GetConfig("device"), line.GetConfig("qps"))
			}
			n++
		}
		if reader.Err() != nil || n != len(want) || n == 0 {
			t.Errorf("%s: %d lines, want %d: %v", kind, n, len(want), reader.Err())
		}
	}
}

// The parameters of a run are written once. Lost messages are a unit of their own, and a rate names the
// side that measured it.
func TestGobenchHasLossesAndTheMeasuringSide(t *testing.T) {
	f := testresult.File(t, "send", option.KindBandwidth, []int{2}, "poll")
	f.Parameters.Transport = option.UD
	f.Rows[0].Delivery, f.Rows[0].Bandwidth.MeasuredAt = &result.Delivery{Sent: 200, Lost: 5}, "receiver"
	text := gobench(t, f)
	if n := strings.Count(text, "transport: UD\n"); n != 1 || !strings.Contains(text, "\nmeasured-at: receiver\nBenchmark") {
		t.Errorf("the transport is written %d times\n%s", n, text)
	}
	reader := benchfmt.NewReader(strings.NewReader(text), "test")
	for reader.Scan() {
		line, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(reader.Result())
		}
		if lost, found := line.Value("lost/msg"); !found || lost != 0.025 || line.GetConfig("measured-at") != "receiver" {
			t.Errorf("%g lost per message, found %v, measured at %q", lost, found, line.GetConfig("measured-at"))
		}
	}
}
