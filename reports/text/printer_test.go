package text

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

func fullText(t *testing.T, gbits bool, files ...*result.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, files, Style{Gbits: gbits}, Full); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTablesAreAsInGoldenFiles(t *testing.T) {
	lat := testresult.File(t, "write", option.KindLatency, []int{2, 64, 65536}, "data", "poll", "event")
	bw := testresult.File(t, "send", option.KindBandwidth, []int{2, 65536}, "data", "poll")
	bw.Local.Device = result.Device{Name: "mlx5_0", Backend: "ibv", LinkLayer: "InfiniBand", GIDIndex: -1}
	bw.Peer.Order.Answer = result.OrderNone
	bw.Rows[0].Forced = true
	bw.Rows[0].Verify = &result.Verify{Messages: 2000, Torn: 3, Stale: 1, First: "message 17: byte 1 is of message 16"}
	bw.Rows[1].Verify = &result.Verify{Messages: 2000}
	read := testresult.File(t, "read", option.KindLatency, []int{8}, "poll")
	read.Parameters.Iterations, read.Parameters.Duration = 0, 2*time.Second
	read.Parameters.Compare, read.Parameters.Completion = false, option.ModePoll
	again := testresult.File(t, "read", option.KindLatency, []int{8}, "event")
	again.Interrupted = true
	golden.Check(t, "lat.golden", []byte(fullText(t, false, lat)))
	golden.Check(t, "bw_gbits.golden", []byte(fullText(t, true, bw)))
	golden.Check(t, "timed.golden", []byte(fullText(t, false, read)))
	golden.Check(t, "runs.golden", []byte(fullText(t, false, read, again)))
}

// A run of several devices has a line for each, and one of all of them.
func TestTablesOfSeveralDevices(t *testing.T) {
	for name, f := range map[string]*result.File{
		"devices_bw.golden":  testresult.Devices(testresult.File(t, "write", option.KindBandwidth, []int{2, 65536}, "poll")),
		"devices_lat.golden": testresult.Devices(testresult.File(t, "send", option.KindLatency, []int{8}, "poll")),
	} {
		f.Parameters.Compare, f.Parameters.Completion = false, option.ModePoll
		text := fullText(t, true, f)
		golden.Check(t, name, []byte(text))
		for i := range f.Rows {
			f.Rows[i].Warnings = nil
		}
		printed := streamed(t, f, Style{Gbits: true})
		for line := range strings.Lines(text) {
			if strings.HasSuffix(line, " mlx5_1:1\n") && !strings.Contains(printed, line) {
				t.Errorf("the text during the run lacks %q:\n%s", line, printed)
			}
		}
	}
}

// streamed returns the text of a run that is printed while it is measured.
func streamed(t *testing.T, f *result.File, style Style) string {
	t.Helper()
	var b strings.Builder
	empty := *f
	empty.Rows = nil
	text := New(&b, &empty, style)
	text.Begin(nil)
	for _, r := range f.Rows {
		text.Row(r)
	}
	if text.End(); text.Err() != nil {
		t.Fatal(text.Err())
	}
	return b.String()
}

// withoutWarnings returns a text without its lines of warnings.
func withoutWarnings(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "WARNING: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// The text of a run of one mode, and that of a comparison with details, has what a report has. Warnings of a
// comparison are printed elsewhere.
func TestStreamedTextIsThatOfTheFinishedFile(t *testing.T) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := testresult.File(t, "write", kind, []int{2, 64}, "data", "poll")
		if got, want := streamed(t, f, Style{Details: true}), withoutWarnings(fullText(t, false, f)); got != want {
			t.Errorf("%s: streamed\n%s\nfinished\n%s", kind, got, want)
		}
		f = testresult.File(t, "write", kind, []int{2, 64}, "poll")
		f.Parameters.Compare, f.Parameters.Completion = false, option.ModePoll
		if got, want := streamed(t, f, Style{Details: true}), withoutWarnings(fullText(t, false, f)); got != want {
			t.Errorf("%s, one mode: streamed\n%s\nfinished\n%s", kind, got, want)
		}
	}
}

// Without details a comparison prints its rows, one table of ratios and the verdict.
func TestComparisonInShort(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll", "event")
	text, details := streamed(t, f, Style{}), streamed(t, f, Style{Details: true})
	head := strings.Index(details, "\n Percentiles")
	if head < 0 || !strings.HasPrefix(text, details[:head]) {
		t.Errorf("other rows:\n%s", text)
	}
	if n := strings.Count(text, "side by side"); n != 1 || !strings.Contains(text, "\n Median latency: completion modes side by side") {
		t.Errorf("%d tables side by side in\n%s", n, text)
	}
	for _, part := range []string{"Percentiles", "Work and cost", "Measuring threads", "Core busy", "Ratio: the quotient", "Latency: ", "WARNING"} {
		if strings.Contains(text, part) || part != "WARNING" && !strings.Contains(details, part) {
			t.Errorf("without details %q is in\n%s", part, text)
		}
	}
	f.Rows[0].Warnings = []result.Warning{{ID: result.WarnUnsteady, Text: "unsteady rounds: 8 of 10 are between 1 usec and 3 usec"}}
	f.Rows[1].Verify = &result.Verify{Messages: 7, Torn: 1, First: "message 3"}
	holds(t, streamed(t, f, Style{}), rows.NoteMarks, "Data check FAILED: 7 messages checked, torn 1", "Corrupted messages", "message 3")
}

// A comparison that has nothing to compare says why.
func TestComparisonOfOneMode(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	f.NotMeasured = []result.Missing{{Size: 2, Mode: "event", Why: "it never slept"}}
	holds(t, streamed(t, f, Style{}), "Percentiles", "size 2 event: not measured: it never slept")
}

func TestEveryRowIsOutAtOnce(t *testing.T) {
	f := testresult.File(t, "write", option.KindBandwidth, []int{2, 4}, "poll")
	var b bytes.Buffer
	text := New(&b, f, Style{})
	text.Begin(nil)
	for i, r := range f.Rows {
		text.Row(r)
		if lines := strings.Count(b.String(), " poll\n"); lines != i+1 {
			t.Errorf("after row %d, %d rows are out", i+1, lines)
		}
	}
}

// Transports that may lose messages have a column of lost ones, with a dash if the receiver does not
// count messages.
func TestLossIsAColumn(t *testing.T) {
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		f := testresult.File(t, "send", kind, []int{64}, "poll")
		if text := fullText(t, false, f); strings.Contains(text, "lost") {
			t.Errorf("%s over %s has a column of what was lost:\n%s", kind, f.Parameters.Transport, text)
		}
		f.Parameters.Transport = option.UD
		for want, d := range map[string]*result.Delivery{"-": nil, "0": {Sent: 1000}, "17": {Sent: 1000, Lost: 17}} {
			f.Rows[0].Delivery = d
			head, rest, _ := strings.Cut(fullText(t, false, f), "    lost      mode\n")
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
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	text := New(fullWriter{}, f, Style{})
	text.Begin(nil)
	text.Row(f.Rows[0])
	text.End()
	if !errors.Is(text.Err(), syscall.ENOSPC) {
		t.Errorf("Err is %v", text.Err())
	}
	if err := Write(fullWriter{}, []*result.File{f}, Style{}, Full); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("WriteTables: %v", err)
	}
	if err := Write(&bytes.Buffer{}, nil, Style{}, Full); err == nil {
		t.Error("tables of no files are no error")
	}
}

func TestTablesOfNearlyNothing(t *testing.T) {
	for name, f := range testresult.Empty(t) {
		for _, gbits := range []bool{false, true} {
			text := fullText(t, gbits, f)
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%s: not a number in\n%s", name, text)
			}
		}
	}
}

func TestTextOfHostileStringsStaysText(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{8}, "poll")
	f.Local.Device.Name = "mlx\x1b[2J\n\xff"
	f.Peer.Order.Query = "\x1b]0;owned\a"
	f.Rows[0].Opcode = "OP\x00\u202e"
	f.Warnings = append(f.Warnings, result.Warning{Text: "one\nWARNING: two\x1b[31m"})
	for _, r := range fullText(t, false, f) {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x202e {
			t.Fatalf("control character %q is printed", r)
		}
	}
}

func TestRunsOfOneModeEachAreComparedInALine(t *testing.T) {
	poll := testresult.File(t, "write", option.KindLatency, []int{8}, "poll")
	event := testresult.File(t, "write", option.KindLatency, []int{8}, "event")
	text := fullText(t, false, poll, event)
	if !strings.Contains(text, "[to poll]") || !strings.Contains(text, "32.64x") {
		t.Fatalf("no comparison in\n%s", text)
	}
	event.Parameters.QPs = 4
	if text := fullText(t, false, poll, event); strings.Contains(text, "32.") {
		t.Errorf("runs of different parameters are compared:\n%s", text)
	}
}

// The header of latency tests says what each sample contains, for files of earlier releases too.
func TestHeaderTellsTheClock(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	for _, c := range []struct {
		clock string
		ns    float64
		want  string
	}{
		{"TSC", 12.7, " Clock           : TSC, 13 ns a reading, one in each sample\n"},
		{"", 30, " Clock           : 30 ns a reading, one in each sample\n"},
	} {
		f.Local.Clock, f.Local.ClockNs = c.clock, c.ns
		if text := fullText(t, false, f); !strings.Contains(text, c.want) {
			t.Errorf("no %q in\n%s", c.want, text)
		}
	}
}

func TestTextsEndWithTheVerdict(t *testing.T) {
	f := testresult.Comparison(t, "write", option.KindLatency, []int{8}, map[option.Mode][]float64{"data": {0.5}})
	v := verdict.Judge([]*result.File{f})
	if got, want := streamed(t, f, Style{}), "\n\n"+v.Brief.Text(); !strings.HasSuffix(got, want) {
		t.Errorf("the text of a run in short:\n%s", got)
	}
	want := "\n" + v.Text(0) + "\n" + v.Brief.Text()
	if got := fullText(t, false, f); !strings.HasSuffix(got, want) || strings.Count(got, "VERDICT") != 1 {
		t.Errorf("the text of a run:\n%s", got)
	}
	if got := sideBySide(t, f, f, testresult.WithQPs(t, 4)); strings.Count(got, "VERDICT") != 1 {
		t.Errorf("the text of several runs:\n%s", got)
	}
}
