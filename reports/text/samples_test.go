package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// rowText returns the text of a run with one row, from the line of column names to the row.
func rowText(t *testing.T, f *result.File, r result.Row, style Style) string {
	t.Helper()
	var b bytes.Buffer
	text := New(&b, f, style)
	text.Row(r)
	if text.Err() != nil {
		t.Fatal(text.Err())
	}
	return b.String()
}

func TestSamplesStandBeforeTheirRow(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	f.Local.ClockHz = 2e9
	r := f.Rows[0]
	r.Samples = []float64{3000, 1000, 2000.5}
	format := newRowFormat(f.Kind, false, false)
	format.modes = hasModes(f)
	head := format.headerLine()
	unsorted, sorted := "#, usec\n0, 3.000\n1, 1.000\n2, 2.001\n", "#, usec\n0, 1.000\n1, 2.001\n2, 3.000\n"
	for want, style := range map[string]Style{
		head:                                   {},
		head + unsorted + rule + head:          {Unsorted: true},
		head + sorted + rule + head:            {Histogram: true},
		head + unsorted + sorted + rule + head: {Unsorted: true, Histogram: true},
	} {
		got := rowText(t, f, r, style)
		if !strings.HasPrefix(got, want) || strings.Count(got[len(want):], "\n") != 1 {
			t.Errorf("%+v:\n%swant\n%s", style, got, want)
		}
	}
	cycles := rowText(t, f, r, Style{Unsorted: true, Cycles: true})
	if !strings.Contains(cycles, "#, cycles\n0, 6000.000\n1, 2000.000\n2, 4001.000\n") || !strings.Contains(cycles, "t_avg[cycles]") || strings.Contains(cycles, "usec") {
		t.Errorf("in cycles:\n%s", cycles)
	}
	f.Local.ClockHz = 0
	if text := rowText(t, f, r, Style{Cycles: true}); !strings.Contains(text, "t_avg[usec]") {
		t.Errorf("without a counter of cycles:\n%s", text)
	}
}

func TestCPUUtilAndCounters(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{2}, "poll")
	r := f.Rows[0]
	util := 0.4217
	r.Local.CPUUtil, r.Local.Counters = &util, map[string]uint64{"port_xmit_data": 17, "a": 0}
	text := rowText(t, f, r, Style{CPUUtil: true})
	if !strings.Contains(text, "MsgRate[Mpps]    CPU_Util[%]      mode\n") || !strings.Contains(text, "\t    42.17 ") {
		t.Errorf("no column of what CPUs did:\n%s", text)
	}
	if !strings.HasSuffix(text, " poll\n\ta=0\n\tport_xmit_data=17\n\n") {
		t.Errorf("no counters below the row:\n%s", text)
	}
	r.Local.CPUUtil, r.Local.Counters = nil, nil
	if text := rowText(t, f, r, Style{CPUUtil: true}); !strings.Contains(text, "\t    -  ") {
		t.Errorf("what was not measured:\n%s", text)
	}
}
