package verdict

import (
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// An operation has one action, which latency and bandwidth decide together.
func TestActionsJoinLatencyAndBandwidth(t *testing.T) {
	sizes := []int{8, 64, 512, 4096, 65536}
	for name, c := range map[string]struct {
		latency, bandwidth []float64 // data to poll
		mode               option.Mode
		upTo               int
		reason, advice     string
	}{
		"latency farther":    {[]float64{0.5, 0.6, 0.7, 0.8, 1}, []float64{2, 1, 1, 1, 1}, "data", 4096, "faster", "Spin on data for WRITE up to 4 KiB; poll the completion queue above that"},
		"bandwidth farther":  {[]float64{0.5, 1, 1, 1, 1}, []float64{2, 2, 1.5, 1, 1}, "data", 512, "faster", "Spin on data for WRITE up to 512 bytes; poll the completion queue above that"},
		"all sizes":          {[]float64{0.5, 0.5, 0.5, 0.5, 0.5}, nil, "data", 0, "faster", "Spin on data for WRITE at all sizes"},
		"slower rates above": {[]float64{0.5, 0.5, 0.5, 0.5, 0.5}, []float64{1, 1, 1, 0.8, 0.7}, "data", 512, "faster", "Spin on data for WRITE up to 512 bytes; poll the completion queue above that"},
		"slower rates":       {[]float64{0.5, 0.5, 0.5, 0.5, 0.5}, []float64{0.8, 0.8, 0.8, 0.8, 0.8}, "poll", 0, "not-faster", "Poll the completion queue: data is not faster at any size"},
		"nowhere faster":     {[]float64{1, 1, 1, 1, 1.2}, []float64{1, 1, 1, 1, 1}, "poll", 0, "not-faster", "Poll the completion queue: data is not faster at any size"},
	} {
		files := []*result.File{testresult.Comparison(t, "write", option.KindLatency, sizes, map[option.Mode][]float64{"data": c.latency})}
		if c.bandwidth != nil {
			files = append(files, testresult.Comparison(t, "write", option.KindBandwidth, sizes, map[option.Mode][]float64{"data": c.bandwidth}))
		}
		b := Judge(files).Brief
		want := Action{Op: "write", Mode: c.mode, UpTo: c.upTo, Reason: c.reason}
		if len(b.Actions) != 1 || b.Actions[0] != want || b.Advice != c.advice {
			t.Errorf("%s: %+v, want %+v\n%s\n%s", name, b.Actions, want, b.Advice, c.advice)
		}
	}
}
