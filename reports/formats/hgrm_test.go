package formats

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
)

// What plotters of HdrHistogram look for: lines of four numbers, and the last three lines.
var (
	hgrmLine   = regexp.MustCompile(`^\s+([0-9.]+)\s+([0-9.]+)\s+([0-9]+)\s+([0-9.]+|inf)$`)
	hgrmFooter = regexp.MustCompile(`#\[Mean    = +([0-9.]+), StdDeviation   = +([0-9.]+)\]\n#\[Max     = +([0-9.]+), Total count    = +([0-9]+)\]\n#\[Buckets = +\d+, SubBuckets     = +\d+\]\n$`)
)

// near reports whether a number of the file is the one of the row, which the histogram has with three
// digits and the file with three decimals.
func near(text string, want float64) bool {
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(got-want) <= 0.001+want/500
}

// A .hgrm file has the percentiles of the row in usec.
func TestHgrmHasThePercentilesOfTheRow(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{64}, option.Modes()...)
	f.Local.Host = "a\nb"
	for i := range f.Rows {
		r := &f.Rows[i]
		data, err := Hgrm(f, r)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		if want := fmt.Sprintf("#[ibperf: latency in usec, RDMA_Write Latency Test, 64 bytes, %s, shm_whole on a b]", r.Mode); lines[0] != want {
			t.Errorf("the first line is %q, want %q", lines[0], want)
		}
		if head := strings.Fields(lines[1]); strings.Join(head, " ") != "Value Percentile TotalCount 1/(1-Percentile)" || lines[2] != "" {
			t.Errorf("the head is %q, %q", lines[1], lines[2])
		}
		values, last := map[string]string{}, []string(nil)
		for _, line := range lines[3:] {
			if m := hgrmLine.FindStringSubmatch(line); m != nil {
				values[m[2]], last = m[1], m[1:]
			}
		}
		l := r.Latency
		for percentile, ns := range map[string]float64{"0.500000": l.P50Ns, "0.900000": l.P90Ns, "1.000000": l.MaxNs} {
			if !near(values[percentile], ns/1000) {
				t.Errorf("%s: %s usec at %s, want %g", r.Mode, values[percentile], percentile, ns/1000)
			}
		}
		if last[2] != fmt.Sprint(l.N) || last[3] != "inf" {
			t.Errorf("%s: the last line is %q, want %d samples", r.Mode, last, l.N)
		}
		footer := hgrmFooter.FindStringSubmatch(string(data))
		if footer == nil || !near(footer[1], l.MeanNs/1000) || !near(footer[2], l.StdevNs/1000) || !near(footer[3], l.MaxNs/1000) || footer[4] != fmt.Sprint(l.N) {
			t.Errorf("%s: the end is %q", r.Mode, footer)
		}
	}
}

func TestHgrmNeedsAHistogram(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{64}, "poll")
	f.Rows[0].Latency.Histogram = "nothing"
	if _, err := Hgrm(f, &f.Rows[0]); err == nil || !strings.Contains(err.Error(), "64 bytes, poll") {
		t.Errorf("error is %v", err)
	}
	f.Rows[0].Latency.MeanOnly, f.Rows[0].Latency.Histogram = true, ""
	bw := testresult.File(t, "write", option.KindBandwidth, []int{64}, "poll")
	if HasHistogram(&f.Rows[0]) || HasHistogram(&bw.Rows[0]) {
		t.Error("rows without samples have a histogram")
	}
}
