package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
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
	for _, want := range []string{"write latency, 64 bytes, at 10k messages/s: core busy at the server:", "event takes ", "data for 10k-1M messages/s", "event does not keep 1M"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if s := v.Brief.Sleeping; len(s) == 0 || s[0].Offered != 1e4 {
		t.Errorf("sleeping: %+v", s)
	}
	sleeping := slices.IndexFunc(v.Brief.Lines, func(l Line) bool { return l.About == "sleeping" })
	if sleeping < 0 || !strings.HasPrefix(v.Brief.Lines[sleeping].Text, "WRITE 10k/s: event ") || !strings.Contains(v.Brief.Lines[sleeping].Text, " usec RTT, core busy ") {
		t.Errorf("lines %+v", v.Brief.Lines)
	}
}

// At a lowest rate that event does not keep, no figure of event is 0.
func TestModeThatKeepsNoRate(t *testing.T) {
	files := testresult.RateSweep(t)
	for _, f := range files {
		for i := range f.Rows {
			if r := &f.Rows[i]; r.Mode == option.ModeEvent {
				r.Load.Growing, r.NoRatio = true, "the rate is too high"
				r.Latency = &result.Latency{N: r.Latency.N, MeanNs: r.Latency.MeanNs, Rate: 250, Factor: 1, MeanOnly: true}
			}
		}
	}
	v := Judge(files)
	if slices.ContainsFunc(v.Brief.Sleeping, func(s Sleeper) bool { return s.Mode == option.ModeEvent }) {
		t.Errorf("sleeping: %+v", v.Brief.Sleeping)
	}
	text := strings.Join(strings.Fields(v.Text(0)), " ")
	if strings.Contains(text, "event takes 0") || strings.Contains(text, "event 0 ") || !strings.Contains(text, "event does not keep 10k-1M") {
		t.Error(text)
	}
}

// With two modes of which one keeps a rate, the text says which one does not.
func TestOnePairThatDoesNotKeep(t *testing.T) {
	files := testresult.RateSweep(t)
	for k, f := range files {
		f.Rows = slices.DeleteFunc(f.Rows, func(r result.Row) bool { return r.Mode == option.ModeEvent })
		for i := range f.Rows {
			if r := &f.Rows[i]; k == 2 && r.Mode == option.ModeData {
				r.Load.Growing, r.NoRatio = true, "the rate is too high"
			}
		}
	}
	if text := strings.Join(strings.Fields(Judge(files).Text(0)), " "); !strings.Contains(text, "; data does not keep 1M") || strings.Contains(text, "nothing is concluded") {
		t.Error(text)
	}
}

// At a rate that only data keeps, data is the choice, although poll has no latency there to be compared with.
func TestRateThatOnlyDataKeeps(t *testing.T) {
	for _, c := range []struct {
		dataKeeps    bool
		says, advice string
	}{
		{true, "; only data keeps 1M", "Spin on data for WRITE of 64 B at all rates"},
		{false, "; no mode keeps 1M: at most data ", "Spin on data for WRITE of 64 B up to 100k/s"},
	} {
		files := testresult.RateSweep(t)
		for i := range files[2].Rows {
			if r := &files[2].Rows[i]; !c.dataKeeps || r.Mode != option.ModeData {
				r.Load.Growing, r.NoRatio = true, "the rate is too high"
			}
		}
		v := Judge(files)
		if text := strings.Join(strings.Fields(v.Text(0)), " "); !strings.Contains(text, c.says) {
			t.Errorf("no %q in:\n%s", c.says, text)
		}
		if v.Brief.Advice != c.advice {
			t.Errorf("advice %q, want %q", v.Brief.Advice, c.advice)
		}
	}
}
