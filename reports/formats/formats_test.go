package formats

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func inFormat(t *testing.T, format option.Format, files ...*result.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, files, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The cells of a row are the numbers of the result file. Missing ones are empty.
func TestCSVHasTheFilesNumbers(t *testing.T) {
	lat := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "poll")
	bw := testresult.File(t, "read", option.KindBandwidth, []int{8}, "data")
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

// Spreadsheets do not read a peer's text as a formula, and still read numbers as numbers.
func TestCSVHasNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"-1.5": "-1.5", "-1e-9": "-1e-9", "+5": "+5", "-inf": "'-inf", "-": "'-", "": "", "a=b": "a=b", "größer": "größer",
	} {
		f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
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

// Each row of a comparison has another name: adaptive is a mode of its own, and
// the control a variant of poll.
func TestRowsOfAComparisonHaveNames(t *testing.T) {
	f := testresult.Controlled(testresult.File(t, "write", option.KindLatency, []int{64}, option.Modes()...), 1)
	names := map[string]bool{}
	for line := range strings.Lines(inFormat(t, option.FormatGobench, f)) {
		if name, _, ok := strings.Cut(line, " "); ok && strings.HasPrefix(name, "Benchmark") {
			names[name] = true
		}
	}
	for _, mode := range []string{"data", "poll", "counter", "adaptive", "event", "poll+control"} {
		if name := "BenchmarkWriteLat/size=64/mode=" + mode; !names[name] || len(names) != 6 {
			t.Errorf("no line of %s in %v", name, names)
		}
	}
	lines, err := csv.NewReader(strings.NewReader(inFormat(t, option.FormatCSV, f))).ReadAll()
	if err != nil || len(lines) != 7 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	mode, variant := slices.Index(lines[0], "mode"), slices.Index(lines[0], "variant")
	if lines[4][mode] != "adaptive" || lines[6][mode] != "poll" || lines[6][variant] != "control" {
		t.Errorf("rows %q and %q", lines[4], lines[6])
	}
}

// Metrics of tests with different rates have different labels, so that they can be in one file.
func TestRateIsALabel(t *testing.T) {
	files := testresult.RateSweep(t)
	metrics := inFormat(t, option.FormatPrometheus, files...)
	for _, want := range []string{`mode="poll",rate_limit="10000p",arrivals="constant"}`, `rate_limit="1000000p"`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
}

// In formats of lines each of several devices has its lines, before those of all together. JSON has them in the rows.
func TestFormatsOfSeveralDevices(t *testing.T) {
	f := testresult.Devices(testresult.File(t, "write", option.KindBandwidth, []int{64}, "poll"))
	lines, err := csv.NewReader(strings.NewReader(inFormat(t, option.FormatCSV, f))).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	at := slices.Index(lines[0], "device")
	for i, want := range []string{"mlx5_0:1", "mlx5_1:1", "mlx5_0:1,mlx5_1:1"} {
		if got := lines[i+1][at]; got != want {
			t.Errorf("line %d is of device %q, want %q", i+1, got, want)
		}
	}
	if slices.Contains(lines[0], "devices") {
		t.Error("a column has the rows of all devices")
	}
	metrics := inFormat(t, option.FormatPrometheus, f)
	for _, device := range []string{"mlx5_0:1", "mlx5_1:1", "mlx5_0:1,mlx5_1:1"} {
		if n := strings.Count(metrics, `ibperf_bandwidth_bytes_per_second{test="write_bw",role="client",device="`+device+`"`); n != 1 {
			t.Errorf("%d metrics of %s in\n%s", n, device, metrics)
		}
	}
	bench := inFormat(t, option.FormatGobench, f)
	if n := strings.Count(bench, "\ndevice: "); n != 3 || !strings.Contains(bench, "\ndevice: mlx5_0:1,mlx5_1:1\n") {
		t.Errorf("%d devices in\n%s", n, bench)
	}
	read, err := result.Parse([]byte(inFormat(t, option.FormatJSON, f)))
	if err != nil || len(read.Rows[0].Devices) != 2 || read.Parameters.Devices != 2 {
		t.Errorf("read %+v, %v", read, err)
	}
}
