package verdict

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
)

// A sweep along rates says what waiting costs at the lowest rate, and compares no mode at a rate that it does not keep.
func TestSweepAlongRates(t *testing.T) {
	files := testresult.RateSweep(t)
	for _, f := range files {
		for i := range f.Rows {
			f.Rows[i].Peer.SleepsPerMessage = min(f.Rows[i].Peer.SleepsPerMessage, 0.5) // as often as the rate lets it
		}
	}
	v := Judge(files)
	text := strings.Join(strings.Fields(v.Text(0)), " ")
	for _, want := range []string{"write latency, 64 bytes, at 10k messages/s: core busy at the server:", "event takes ", "data for 10k-1M messages/s", "event for 1M: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if s := v.Brief.Sleeping; len(s) == 0 || s[0].Offered != 1e4 {
		t.Errorf("sleeping: %+v", s)
	}
}
