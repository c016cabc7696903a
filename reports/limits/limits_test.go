package limits

import (
	"slices"
	"strings"
	"testing"

	parsed "github.com/ibperf/ibperf/internal/limit"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// given returns the options of a side.
func given(t *testing.T, arguments string) *option.Own {
	t.Helper()
	s := option.New(option.Test{Op: option.OpWrite, Kind: option.KindLatency})
	for words := strings.Fields(arguments); len(words) > 0; words = words[1:] {
		name, argument, found := strings.Cut(words[0], "=")
		if !found {
			argument = "true"
		}
		if err := option.Find(strings.TrimPrefix(name, "--")).Set(&s, argument); err != nil {
			t.Fatalf("%s: %v", words[0], err)
		}
	}
	return &s.Own
}

// latencies returns a run with two modes at 64 bytes. Its runs have figures around those of the rows.
func latencies() *result.File {
	f := &result.File{Op: option.OpWrite, Kind: option.KindLatency, Role: "client"}
	for _, r := range []struct {
		mode     option.Mode
		p50, p99 float64
	}{{option.ModeData, 2000, 5000}, {option.ModeEvent, 8000, 20000}} {
		row := result.Row{Size: 64, Mode: r.mode, Latency: &result.Latency{P50Ns: r.p50, MeanNs: r.p50, P99Ns: r.p99}}
		for i, factor := range []float64{0.9, 1 / 0.9, 1, 1.1, 1 / 1.1} { // whose product is 1
			row.Rounds = append(row.Rounds, result.Round{Run: i + 1, P50Ns: r.p50 * factor})
		}
		row.Local.Busy, row.Peer.Busy = 0.4, 0.998
		f.Rows = append(f.Rows, row)
	}
	return f
}

// TestLimitsOfPercentiles covers the interval of a percentile: that of the rounds, with the value.
func TestLimitsOfPercentiles(t *testing.T) {
	for _, c := range []struct {
		messages uint64
		p99      float64
		want     string
	}{
		{1000, 20000, "64 bytes, mode event: p99 20.00 [17.65-22.66] usec exceeds --max-lat p99=18us by 11 %; not certain: the limit is within the interval; missed by 1 of 2 rows"},
		{1000, 40000, "64 bytes, mode event: p99 40.00 [17.65-40.00] usec exceeds --max-lat p99=18us by 122 %; not certain: the limit is within the interval; missed by 1 of 2 rows"},
		{999, 20000, "64 bytes, mode event: p99 20.00 usec exceeds --max-lat p99=18us by 11 %; missed by 1 of 2 rows"},
	} {
		f := latencies()
		row := &f.Rows[1]
		row.Latency.P99Ns = c.p99
		for i := range row.Rounds {
			row.Rounds[i].P99Ns, row.Rounds[i].Messages = row.Rounds[i].P50Ns/8000*20000, c.messages
		}
		if got := Check(f, given(t, "--max-lat=p99=18us")); len(got) != 1 || got[0] != c.want {
			t.Errorf("%d messages: %q, want %q", c.messages, got, c.want)
		}
	}
}

// rates returns a run of one row with 80 Gb/s.
func rates() *result.File {
	f := &result.File{Op: option.OpWrite, Kind: option.KindBandwidth, Role: "client"}
	row := result.Row{Size: 65536, Mode: option.ModePoll, Bandwidth: &result.Bandwidth{Average: 10e9, MsgRate: 152588}}
	row.Local.Busy, row.Peer.Busy = 0.998, 0.4
	f.Rows = append(f.Rows, row)
	return f
}

func TestLimitsOfLatencies(t *testing.T) {
	for arguments, want := range map[string][]string{
		"":                   nil,
		"--max-lat=p99=20us": nil,
		"--max-lat=p99=16us": {"64 bytes, mode event: p99 20.00 usec exceeds --max-lat p99=16us by 25 %; missed by 1 of 2 rows"},
		"--max-lat=p99=4us":  {"64 bytes, mode event: p99 20.00 usec exceeds --max-lat p99=4us by 400 %; missed by 2 of 2 rows"},
		"--max-lat=p50=7.9us": {"64 bytes, mode event: p50 8.000 [7.062-9.063] usec exceeds --max-lat p50=7.9us by 1.3 %; " +
			"not certain: the limit is within the interval; missed by 1 of 2 rows"},
		"--max-lat=p50=4us":                   {"64 bytes, mode event: p50 8.000 [7.062-9.063] usec exceeds --max-lat p50=4us by 100 %; missed by 1 of 2 rows"},
		"--max-lat=p50=8.1us":                 nil, // although the interval has larger values
		"--max-lat=max=1s":                    {"64 bytes, mode data: max was not measured, and --max-lat max=1s was given; missed by 2 of 2 rows"},
		"--max-lat=mean=9us --max-lat=p99=1s": nil,
		"--max-lat=p50=1us,p99=1us": {
			"64 bytes, mode event: p50 8.000 [7.062-9.063] usec exceeds --max-lat p50=1us by 700 %; missed by 2 of 2 rows",
			"64 bytes, mode event: p99 20.00 usec exceeds --max-lat p99=1us by 1900 %; missed by 2 of 2 rows",
		},
		"--max-busy=100%": nil,
		"--max-busy=50%":  {"64 bytes, mode data: core busy 99.8 % on the busier side exceeds --max-busy 50% by 50 percentage points; missed by 2 of 2 rows"},
	} {
		if got := Check(latencies(), given(t, arguments)); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", arguments, got, want)
		}
	}
}

func TestLimitsOfRates(t *testing.T) {
	for arguments, want := range map[string][]string{
		"--limit_bw=9536 --limit_msgrate=0.15 --min-bw=80G --max-busy=41": nil,
		"--limit_bw=10000":               {"65536 bytes, mode poll: average 9536.74 MiB/s is below --limit_bw 10000 by 4.6 %"},
		"--limit_bw=100 --report_gbits":  {"65536 bytes, mode poll: average 80.00 Gb/s is below --limit_bw 100 by 20 %"},
		"--limit_bw=1e300":               {"65536 bytes, mode poll: average 9536.74 MiB/s is below --limit_bw 1" + strings.Repeat("0", 300) + " by 100 %"},
		"--limit_msgrate=1":              {"65536 bytes, mode poll: rate 0.152588 million messages/s is below --limit_msgrate 1 by 85 %"},
		"--min-bw=80.01G --max-busy=40%": {"65536 bytes, mode poll: average 80.00 Gb/s is below --min-bw 80.01G by 0.012 %"},
		"--max-busy=39.9%":               {"65536 bytes, mode poll: core busy 40.0 % at the receiver exceeds --max-busy 39.9% by 0.1 percentage points"},
	} {
		if got := Check(rates(), given(t, arguments)); !slices.Equal(got, want) {
			t.Errorf("%s:\n%q, want\n%q", arguments, got, want)
		}
	}
}

// The link rate is that of the slower port, in each direction.
func TestShareOfTheLinkRate(t *testing.T) {
	for _, c := range []struct {
		local, peer float64 // Gb/s
		both        bool
		share, want string
	}{
		{100, 100, false, "80%", ""},
		{100, 100, false, "81%", "average 80.00 Gb/s is below --min-bw 81% by 1.2 %"},
		{400, 100, false, "80%", ""},
		{100, 400, false, "80%", ""},
		{100, 0, false, "80%", ""},
		{100, 100, true, "40%", ""},
		{100, 100, true, "80%", "average 80.00 Gb/s is below --min-bw 80% by 50 %"},
		{0, 100, false, "80%", "--min-bw 80% was not checked: the link rate is not known"},
	} {
		f := rates()
		f.Local.Device.LinkRate, f.Peer.Device.LinkRate, f.Parameters.Both = c.local*1.25e8, c.peer*1.25e8, c.both
		if got := strings.Join(Check(f, given(t, "--min-bw="+c.share)), "; "); (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The link rate of several devices is the sum of those of their links.
func TestShareOfSeveralLinks(t *testing.T) {
	for _, c := range []struct {
		second float64 // Gb/s
		want   string
	}{
		{100, "average 80.00 Gb/s is below --min-bw 81% by 51 %"}, // of 162 Gb/s
		{25, "average 80.00 Gb/s is below --min-bw 81% by 21 %"},  // of 101.25 Gb/s
		{0, "--min-bw 81% was not checked: the link rate is not known"},
	} {
		f := rates()
		f.Local.Device.LinkRate, f.Peer.Device.LinkRate = 100*1.25e8, 100*1.25e8
		f.Local.More = []result.MoreDevice{{Device: result.Device{LinkRate: c.second * 1.25e8}}}
		f.Peer.More = f.Local.More
		if got := strings.Join(Check(f, given(t, "--min-bw=81%")), "; "); !strings.HasSuffix(got, c.want) {
			t.Errorf("%v Gb/s: %q, want %q", c.second, got, c.want)
		}
	}
}

func TestRowsWithoutFigures(t *testing.T) {
	f := latencies()
	f.Rows = nil
	want := []string{"--max-lat p99=1s was not checked: no row was measured"}
	if got := Check(f, given(t, "--max-lat=p99=1s")); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	f = latencies()
	f.Rows[0].Local.Busy, f.Rows[0].Peer.Busy = 0, 0
	want = []string{"64 bytes, mode data: core busy was not measured, and --max-busy 10% was given; missed by 2 of 2 rows"}
	if got := Check(f, given(t, "--max-busy=10%")); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The receiver of a plain WRITE ignores messages, and only the sender waits. A receiver of SENDs without figures is a
// peer that does not tell them.
func TestBusyOfASender(t *testing.T) {
	for op, want := range map[option.Op]string{
		option.OpWrite: "65536 bytes, mode poll: core busy 99.8 % at the sender exceeds --max-busy 90% by 9.8 percentage points",
		option.OpSend:  "65536 bytes, mode poll: core busy was not measured, and --max-busy 90% was given",
	} {
		f := rates()
		f.Op, f.Rows[0].Bandwidth.MeasuredAt, f.Rows[0].Peer.Busy = op, "sender", 0
		if got := Check(f, given(t, "--max-busy=90%")); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", op, got, want)
		}
	}
}

// The file has each limit, and the number of rows that missed it.
func TestLimitsAreInTheFile(t *testing.T) {
	f := latencies()
	Check(f, given(t, "--max-lat=p50=4us --max-busy=50%"))
	want := []result.Limit{
		{Option: "--max-lat p50=4us", Field: "latency.p50_ns", Maximum: 4000, Missed: 1},
		{Option: "--max-busy 50%", Field: "busy", Maximum: 0.5, Missed: 2},
	}
	if !slices.Equal(f.RowLimits, want) {
		t.Errorf("%+v, want %+v", f.RowLimits, want)
	}
	f = rates()
	f.Local.Device.LinkRate = 50e9
	Check(f, given(t, "--limit_bw=1e305 --limit_msgrate=2 --min-bw=90%"))
	want = []result.Limit{
		{Option: "--limit_bw 1" + strings.Repeat("0", 305), Field: "bandwidth.average_bytes_per_s", Minimum: 1e18, Missed: 1},
		{Option: "--limit_msgrate 2", Field: "bandwidth.messages_per_s", Minimum: 2e6, Missed: 1},
		{Option: "--min-bw 90%", Field: "bandwidth.average_bytes_per_s", Minimum: 45e9, Missed: 1},
	}
	if !slices.Equal(f.RowLimits, want) {
		t.Errorf("%+v, want %+v", f.RowLimits, want)
	}
}

// Every figure that --max-lat takes has a column, and every column of a time has a limit.
func TestFiguresAreColumns(t *testing.T) {
	var heads []string
	for _, c := range result.Columns() {
		if strings.HasPrefix(c.Field, "latency.") && c.Shown() == "usec" {
			heads = append(heads, c.Head)
		}
	}
	if !slices.Equal(heads, parsed.Figures()) {
		t.Errorf("columns %q, figures %q", heads, parsed.Figures())
	}
}
