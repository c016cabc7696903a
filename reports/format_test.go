package reports

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
	"golang.org/x/perf/benchfmt"
)

func inFormat(t *testing.T, format option.Format, files ...*result.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFormat(&b, files, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What benchstat reads of the Go benchmark format are the rounds of all rows.
func TestBenchstatReadsTheGobenchFormat(t *testing.T) {
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		f := synthetic.File(t, "write", kind, []int{2, 65536}, "data", "poll")
		f.Rows[1].Variant = result.VariantControl
		var want []float64
		for _, r := range f.Rows {
			for _, round := range r.Rounds {
				if kind == result.KindLatency {
					want = append(want, round.MeanNs/1e9)
				} else {
					want = append(want, round.Average)
				}
			}
		}
		unit := map[string]string{result.KindLatency: "sec/op", result.KindBandwidth: "B/s"}[kind]
		reader, n := benchfmt.NewReader(strings.NewReader(inFormat(t, option.FormatGobench, f)), "test"), 0
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

// A run is told once, and what a transport loses stands with its rates.
func TestGobenchTellsLossesAndWhoseRateItIs(t *testing.T) {
	f := synthetic.File(t, "send", result.KindBandwidth, []int{2}, "poll")
	f.Parameters.Transport = option.UD
	f.Rows[0].Delivery, f.Rows[0].Bandwidth.MeasuredAt = &result.Delivery{Sent: 200, Lost: 5}, "receiver"
	text := inFormat(t, option.FormatGobench, f)
	if n := strings.Count(text, "transport: UD\n"); n != 1 || !strings.Contains(text, "\nmeasured-at: receiver\nBenchmark") {
		t.Errorf("the transport is told %d times\n%s", n, text)
	}
	reader := benchfmt.NewReader(strings.NewReader(text), "test")
	for reader.Scan() {
		line, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(reader.Result())
		}
		if lost, told := line.Value("lost/msg"); !told || lost != 0.025 || line.GetConfig("measured-at") != "receiver" {
			t.Errorf("%g lost of a message, told %v, at %q", lost, told, line.GetConfig("measured-at"))
		}
	}
}

// The cells of a row are the result file's numbers, and what it does not have is empty.
func TestCSVHasTheFilesNumbers(t *testing.T) {
	lat := synthetic.File(t, "write", result.KindLatency, []int{2, 64}, "poll")
	bw := synthetic.File(t, "read", result.KindBandwidth, []int{8}, "data")
	bw.Rows[0].Verify = &result.Verify{Messages: 7}
	lines, err := csv.NewReader(strings.NewReader(inFormat(t, option.FormatCSV, lat, bw))).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	cell := func(line int, name string) string {
		for i, head := range lines[0] {
			if head == name {
				return lines[line][i]
			}
		}
		t.Fatalf("no column %s", name)
		return ""
	}
	for _, c := range []struct {
		line       int
		name, want string
	}{
		{1, "program", "ib_write_lat"}, {1, "size_bytes", "2"}, {2, "size_bytes", "64"}, {1, "mode", "poll"}, {3, "mode", "data"},
		{1, "bandwidth.average_bytes_per_s", ""}, {3, "latency.p50_ns", ""}, {1, "verify.messages", ""}, {3, "verify.messages", "7"},
	} {
		if got := cell(c.line, c.name); got != c.want {
			t.Errorf("line %d: %s is %q, want %q", c.line, c.name, got, c.want)
		}
	}
	for line, want := range map[int]float64{1: lat.Rows[0].Latency.P50Ns, 2: lat.Rows[1].Latency.P50Ns} {
		if got, err := strconv.ParseFloat(cell(line, "latency.p50_ns"), 64); err != nil || got != want {
			t.Errorf("line %d: %g, %v, want %g", line, got, err, want)
		}
	}
}

// A text of a peer is no formula to a spreadsheet, and a number is one.
func TestCSVHasNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"-1.5": "-1.5", "-1e-9": "-1e-9", "+5": "+5", "-inf": "'-inf", "-": "'-", "": "", "a=b": "a=b", "größer": "größer",
	} {
		f := synthetic.File(t, "write", result.KindLatency, []int{2}, "poll")
		f.Local.Host, f.Local.Device.Name = text, text
		lines, err := csv.NewReader(strings.NewReader(inFormat(t, option.FormatCSV, f))).ReadAll()
		if err != nil || len(lines) != 2 {
			t.Fatalf("%d lines, %v", len(lines), err)
		}
		seen := 0
		for i, name := range lines[0] {
			if name == "host" || name == "device" {
				seen++
				if got := lines[1][i]; got != want {
					t.Errorf("%q is %q in column %s, want %q", text, got, name, want)
				}
			}
		}
		if seen < 2 {
			t.Fatalf("%d columns of text in %q", seen, lines[0])
		}
	}
}

func TestBareNumbers(t *testing.T) {
	lat := synthetic.File(t, "write", result.KindLatency, []int{2}, "poll").Rows[0]
	bw := synthetic.File(t, "write", result.KindBandwidth, []int{2}, "poll").Rows[0]
	for _, c := range []struct {
		what  option.Output
		gbits bool
		row   result.Row
		want  float64
	}{
		{option.OutputLatency, false, lat, lat.Latency.MeanNs / 1e3},
		{option.OutputBandwidth, false, bw, bw.Bandwidth.Average / (1 << 20)},
		{option.OutputBandwidth, true, bw, bw.Bandwidth.Average * 8 / 1e9},
		{option.OutputRate, false, bw, bw.Bandwidth.MsgRate / 1e6},
	} {
		var b bytes.Buffer
		p := NewBare(&b, c.what, Style{Gbits: c.gbits})
		p.Begin()
		p.Row(c.row)
		p.End()
		got, err := strconv.ParseFloat(strings.TrimSuffix(b.String(), "\n"), 64)
		if err != nil || p.Err() != nil || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %q, %v, want %f", c.what, b.String(), err, c.want)
		}
	}
}
