package reports

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestBareNumbers(t *testing.T) {
	lat := testresult.File(t, "write", option.KindLatency, []int{2}, "poll").Rows[0]
	bw := testresult.File(t, "write", option.KindBandwidth, []int{2}, "poll").Rows[0]
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
		p := New(&b, nil, &option.Own{Output: c.what, Gbits: c.gbits}, 0)
		p.Begin(nil)
		p.Row(c.row)
		p.End()
		got, err := strconv.ParseFloat(strings.TrimSuffix(b.String(), "\n"), 64)
		if err != nil || p.Err() != nil || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %q, %v, want %f", c.what, b.String(), err, c.want)
		}
	}
}
