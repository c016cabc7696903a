package reports

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

func tables(t *testing.T, gbits bool, files ...*result.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteTables(&b, files, Style{Gbits: gbits}, Full); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTablesAreAsInGoldenFiles(t *testing.T) {
	lat := synthetic.File(t, "write", result.KindLatency, []int{2, 64, 65536}, "data", "poll", "event")
	bw := synthetic.File(t, "send", result.KindBandwidth, []int{2, 65536}, "data", "poll")
	bw.Local.Device = result.Device{Name: "mlx5_0", Backend: "ibv", LinkLayer: "InfiniBand", GIDIndex: -1}
	bw.Peer.Order.Answer = result.OrderNone
	bw.Rows[0].Forced = true
	bw.Rows[0].Verify = &result.Verify{Messages: 2000, Torn: 3, Stale: 1, First: "message 17: byte 1 is of message 16"}
	bw.Rows[1].Verify = &result.Verify{Messages: 2000}
	read := synthetic.File(t, "read", result.KindLatency, []int{8}, "poll")
	read.Parameters.Iterations, read.Parameters.Duration = 0, 2*time.Second
	read.Parameters.Compare, read.Parameters.Completion = false, option.ModePoll
	again := synthetic.File(t, "read", result.KindLatency, []int{8}, "event")
	again.Interrupted = true
	golden.Check(t, "lat.golden", []byte(tables(t, false, lat)))
	golden.Check(t, "bw_gbits.golden", []byte(tables(t, true, bw)))
	golden.Check(t, "timed.golden", []byte(tables(t, false, read)))
	golden.Check(t, "runs.golden", []byte(tables(t, false, read, again)))
}

func TestStreamedTextIsThatOfTheFinishedFile(t *testing.T) {
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		f := synthetic.File(t, "write", kind, []int{2, 64}, "data", "poll")
		var b bytes.Buffer
		empty := *f
		empty.Rows = nil
		text := NewText(&b, &empty, Style{})
		text.Begin()
		for _, r := range f.Rows {
			text.Row(r)
		}
		text.End()
		if text.Err() != nil {
			t.Fatal(text.Err())
		}
		if want := tables(t, false, f); b.String() != want {
			t.Errorf("%s: streamed\n%s\nfinished\n%s", kind, b.String(), want)
		}
	}
}

func TestEveryRowIsOutAtOnce(t *testing.T) {
	f := synthetic.File(t, "write", result.KindBandwidth, []int{2, 4}, "poll")
	var b bytes.Buffer
	text := NewText(&b, f, Style{})
	text.Begin()
	for i, r := range f.Rows {
		text.Row(r)
		if lines := strings.Count(b.String(), " poll\n"); lines != i+1 {
			t.Errorf("after row %d, %d rows are out", i+1, lines)
		}
	}
}

// What may be lost has a column, with a dash where nobody counts what arrives.
func TestLossIsAColumn(t *testing.T) {
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		f := synthetic.File(t, "send", kind, []int{64}, "poll")
		if text := tables(t, false, f); strings.Contains(text, "lost") {
			t.Errorf("%s over %s has a column of what was lost:\n%s", kind, f.Parameters.Transport, text)
		}
		f.Parameters.Transport = option.UD
		for want, d := range map[string]*result.Delivery{"-": nil, "0": {Sent: 1000}, "17": {Sent: 1000, Lost: 17}} {
			f.Rows[0].Delivery = d
			head, rest, _ := strings.Cut(tables(t, false, f), "    lost      mode\n")
			row, _, _ := strings.Cut(rest, "\n")
			if fields := strings.Fields(row); head == "" || len(fields) < 3 || fields[len(fields)-2] != want {
				t.Errorf("%s: lost %+v is printed as %q, want %s before the mode", kind, d, row, want)
			}
		}
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestWriteErrorsAreKept(t *testing.T) {
	f := synthetic.File(t, "write", result.KindLatency, []int{2}, "poll")
	text := NewText(fullWriter{}, f, Style{})
	text.Begin()
	text.Row(f.Rows[0])
	text.End()
	if !errors.Is(text.Err(), syscall.ENOSPC) {
		t.Errorf("Err is %v", text.Err())
	}
	if err := WriteTables(fullWriter{}, []*result.File{f}, Style{}, Full); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("WriteTables: %v", err)
	}
	if err := WriteTables(&bytes.Buffer{}, nil, Style{}, Full); err == nil {
		t.Error("tables of no files are no error")
	}
}

// emptyFiles are runs that barely measured: no rows, rows of zeros, one sample.
func emptyFiles(t *testing.T) map[string]*result.File {
	zeroLat := synthetic.File(t, "write", result.KindLatency, []int{8}, "data", "poll")
	for i := range zeroLat.Rows {
		zeroLat.Rows[i].Latency = &result.Latency{}
	}
	zeroBW := synthetic.File(t, "write", result.KindBandwidth, []int{8, 16}, "data", "poll")
	for i := range zeroBW.Rows {
		zeroBW.Rows[i].Bandwidth = &result.Bandwidth{}
		zeroBW.Rows[i].Local = result.Cost{}
	}
	oneSample := synthetic.File(t, "write", result.KindLatency, []int{8}, "poll")
	oneSample.Rows[0].Latency = synthetic.Latency(t, "poll", 8, 1)
	noSize := synthetic.File(t, "write", result.KindBandwidth, []int{0}, "poll")
	zeroTimed := synthetic.File(t, "read", result.KindLatency, []int{8}, "poll")
	zeroTimed.Parameters.Iterations, zeroTimed.Parameters.Duration = 0, time.Second
	zeroTimed.Rows[0].Latency = &result.Latency{}
	extreme := synthetic.File(t, "write", result.KindLatency, []int{0, 8, 1 << 27}, "data", "poll")
	for i, ns := range []float64{0, 5e-324, 1, 1e300, math.MaxFloat64, 0} {
		l := extreme.Rows[i].Latency
		l.MinNs, l.P50Ns, l.P99Ns, l.MaxNs, l.MeanNs, extreme.Rows[i].Local.CPUNs = 0, ns, ns, ns, ns, ns
	}
	fast := synthetic.File(t, "write", result.KindBandwidth, []int{8, 16}, "poll")
	fast.Rows[0].Bandwidth = &result.Bandwidth{Average: math.MaxFloat64, Peak: math.MaxFloat64, MsgRate: math.MaxFloat64}
	return map[string]*result.File{
		"extreme latency":      extreme,
		"extreme bandwidth":    fast,
		"no latency rows":      synthetic.File(t, "write", result.KindLatency, nil, "poll"),
		"no bandwidth rows":    synthetic.File(t, "write", result.KindBandwidth, nil, "poll"),
		"latency zeros":        zeroLat,
		"bandwidth zeros":      zeroBW,
		"one sample":           oneSample,
		"empty messages":       noSize,
		"zero timed latency":   zeroTimed,
		"nothing but the kind": {Kind: result.KindLatency, Op: "write"},
	}
}

func TestTablesOfNearlyNothing(t *testing.T) {
	for name, f := range emptyFiles(t) {
		for _, gbits := range []bool{false, true} {
			text := tables(t, gbits, f)
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%s: not a number in\n%s", name, text)
			}
		}
	}
}

func TestTextOfHostileStringsStaysText(t *testing.T) {
	f := synthetic.File(t, "write", result.KindLatency, []int{8}, "poll")
	f.Local.Device.Name = "mlx\x1b[2J\n\xff"
	f.Peer.Order.Query = "\x1b]0;owned\a"
	f.Rows[0].Opcode = "OP\x00\u202e"
	f.Warnings = append(f.Warnings, result.Warning{Text: "one\nWARNING: two\x1b[31m"})
	for _, r := range tables(t, false, f) {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x202e {
			t.Fatalf("control character %q is printed", r)
		}
	}
}

func TestRunsOfOneModeEachAreComparedInALine(t *testing.T) {
	poll := synthetic.File(t, "write", result.KindLatency, []int{8}, "poll")
	event := synthetic.File(t, "write", result.KindLatency, []int{8}, "event")
	text := tables(t, false, poll, event)
	if !strings.Contains(text, "[to poll]") || !strings.Contains(text, "32.62x") {
		t.Fatalf("no comparison in\n%s", text)
	}
	event.Parameters.QPs = 4
	if text := tables(t, false, poll, event); strings.Contains(text, "32.") {
		t.Errorf("runs of different parameters are compared:\n%s", text)
	}
}

// The header of latencies tells what each sample contains, with files of old releases too.
func TestHeaderTellsTheClock(t *testing.T) {
	f := synthetic.File(t, "write", result.KindLatency, []int{2}, "poll")
	for _, c := range []struct {
		clock string
		ns    float64
		want  string
	}{
		{"TSC", 12.7, " Clock           : TSC, 13 ns a reading, one in each sample\n"},
		{"", 30, " Clock           : 30 ns a reading, one in each sample\n"},
	} {
		f.Local.Clock, f.Local.ClockNs = c.clock, c.ns
		if text := tables(t, false, f); !strings.Contains(text, c.want) {
			t.Errorf("no %q in\n%s", c.want, text)
		}
	}
}
