package formats

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// ticksPerHalf is the number of lines for each halving of the distance to 100 %, HdrHistogram's usual
// one.
const ticksPerHalf = 5

// HasHistogram reports whether Hgrm can write a row.
func HasHistogram(r *result.Row) bool {
	return r.Latency != nil && r.Latency.Histogram != "" && r.Latency.Factor > 0
}

// Hgrm returns the percentiles of a row's latency in usec in HdrHistogram's text format (.hgrm), which
// its plotters read. The first line is a comment that says what was measured.
func Hgrm(f *result.File, r *result.Row) ([]byte, error) {
	histogram, err := hdrhistogram.Decode([]byte(r.Latency.Histogram))
	if err != nil {
		return nil, fmt.Errorf("decode the histogram of %s, %d bytes, %s: %w", f.Program, r.Size, r.Name(), err)
	}
	var b bytes.Buffer
	what := []string{"latency in usec", rows.TestTitle(f.Op, f.Kind), fmt.Sprint(r.Size, " bytes"), r.Name(), f.Local.DeviceNames() + " on " + f.Local.Host}
	fmt.Fprintf(&b, "%s %s]\n", outfolder.HgrmMark, printable.Clean(strings.Join(what, ", ")))
	nsPerUsec := 1000.0
	_, err = histogram.PercentilesPrint(&b, ticksPerHalf, nsPerUsec/r.Latency.Factor)
	return b.Bytes(), err
}
