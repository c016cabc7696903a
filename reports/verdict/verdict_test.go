package verdict

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
)

// The verdict on the client's and the server's file of a run is that on one of them.
func TestTheOtherFileOfARunAddsNothing(t *testing.T) {
	files := usual(t, func(*result.File) {})
	files = append(files, checkedFile(t, "write", nil))
	want := Judge(files).Text(0)
	for _, f := range slices.Clone(files) {
		files = append(files, serversFile(f))
	}
	if got := Judge(files).Text(0); got != want {
		t.Errorf("of both files:\n%s\nof the clients':\n%s", got, want)
	}
	if got := Judge(files[len(files)/2:]).Text(0); got != want {
		t.Errorf("of the servers' files:\n%s\nof the clients':\n%s", got, want)
	}
}

func TestVerdictsAreAsInTheGoldenFile(t *testing.T) {
	var b, cards strings.Builder
	for i, c := range verdictCases(t) {
		v := Judge(c.files)
		bad := ""
		if slices.ContainsFunc(v.Answers, func(a Answer) bool { return a.Bad }) {
			bad = " (bad)"
		}
		b.WriteString("=== " + c.name + bad + "\n" + v.Text(0) + "\n")
		if i == 0 {
			for _, c := range v.Cards {
				cards.WriteString(string(c.Op) + " " + string(c.Kind) + ": " + c.Title + "\n  " + strings.Join(c.Lines, "\n  ") + "\n")
			}
		}
	}
	golden.Check(t, "verdicts.golden", []byte(b.String()))
	golden.Check(t, "verdict_cards.golden", []byte(cards.String()))
}

// Brief, answers and cards have no figures of a device whose data was corrupt after a completion.
func TestNothingIsSaidOfAWrongDevice(t *testing.T) {
	files := append(usual(t, func(*result.File) {}), checkedFile(t, "write", map[option.Mode]result.Verify{"poll": {Torn: 1}}))
	v := Judge(files)
	for _, c := range v.Cards {
		if c.Op == "write" && !slices.Equal(c.Lines, []string{"nothing is concluded for 8-64K bytes: data was corrupt after a completion, see below"}) {
			t.Errorf("%s: %q", c.Title, c.Lines)
		}
	}
	if text := v.Text(0); strings.Contains(text, "Kept") || strings.Contains(text, "Yes: shm_whole on node2") {
		t.Errorf("the verdict:\n%s", text)
	}
	b := v.Brief
	of := func(op option.Op) bool { return op == "write" || op == "send" } // node2 receives those
	if slices.ContainsFunc(b.Operations, func(o Operation) bool { return of(o.Op) }) || slices.ContainsFunc(b.Peaks, func(p Peak) bool { return of(p.Op) }) ||
		slices.ContainsFunc(b.Actions, func(a Action) bool { return of(a.Op) }) {
		t.Errorf("the brief:\n%s", b.Text())
	}
}

func TestWordsOfVerdicts(t *testing.T) {
	for got, want := range map[string]string{
		joinTestNames([]string{"read latency", "read bandwidth"}):                                        "read latency and bandwidth",
		joinTestNames([]string{"write latency", "send latency", "read latency"}):                         "write, send and read latency",
		joinTestNames([]string{"write latency", "read bandwidth"}):                                       "write latency and read bandwidth",
		joinTestNames([]string{"write latency [1]", "write latency [2]"}):                                "write latency [1] and write latency [2]",
		joinTestNames([]string{"write latency, 64 bytes"}):                                               "write latency, 64 bytes",
		joinTestNames([]string{"write latency", "write latency, 8 bytes", "write latency, 8 bytes"}):     "write latency and write latency (8 bytes)",
		thousands(0) + " " + thousands(999) + " " + thousands(1234567):                                   "0 999 1,234,567",
		phrase.PercentNumber(0.0312) + " " + phrase.PercentNumber(0.0996) + phrase.PercentNumber(1):      "3.1 10100",
		phrase.WakeUpNumber(0) + " " + phrase.WakeUpNumber(0.0000741) + " " + phrase.WakeUpNumber(1.094): "0.0 0.000074 1.1",
		pauseText(1500000) + ", " + pauseText(10000) + ", " + pauseText(2e9):                             "1.5 ms, 10 usec, 2 s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNoVerdictWhereNothingIsCompared(t *testing.T) {
	one := testresult.File(t, "write", option.KindLatency, []int{8}, "poll")
	plain := testresult.File(t, "write", option.KindLatency, []int{8}, "data")
	plain.Parameters.Compare, plain.Parameters.Completion = false, option.ModeData
	if v := Judge([]*result.File{one, plain}); v != nil {
		t.Errorf("a verdict:\n%s", v.Text(0))
	}
	if v := Judge(nil); v != nil {
		t.Error("a verdict of nothing")
	}
}

func TestLinesOfTheVerdictAreNoWiderThanTheTerminal(t *testing.T) {
	v := Judge(append(usual(t, func(*result.File) {}), checkedFile(t, "write", map[option.Mode]result.Verify{"data": {Torn: 1}})))
	for _, width := range []int{60, 80, 200} {
		for _, line := range strings.Split(v.Text(width), "\n") {
			if len(line) > min(width, 113) {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

func TestVerdictsOfOldFiles(t *testing.T) {
	for name, why := range map[string]string{"version1.json": "the file has no rounds to compare", "version2.json": "too few rounds"} {
		f, err := result.Read(filepath.Join("..", "..", "result", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"nothing is concluded: " + why, "Yes: "} {
			if text := Judge([]*result.File{f}).Text(0); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
}

// FuzzJudge checks that Judge accepts every file that Parse accepts.
func FuzzJudge(f *testing.F) {
	for _, name := range []string{"version1.json", "version2.json"} {
		file, err := result.Read(filepath.Join("..", "..", "result", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		data, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
		file := testresult.File(f, "send", kind, []int{2, 4096}, "data", "poll", "event")
		file.Rows[0].Verify = &result.Verify{Messages: 10, Torn: 1}
		file.Rows[2].NoRatio = "why"
		file.Error = "the\nend"
		data, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := result.Parse(data)
		if err != nil {
			return
		}
		paused, many := *file, *file
		paused.Parameters.Gap, many.Parameters.Gap = time.Second, 2*time.Second
		for _, files := range [][]*result.File{{file}, {file, file}, {file, &paused, &many}} {
			if v := Judge(files); v != nil {
				plainNumbers(t, v.Text(80), data)
			}
		}
	})
}

// plainNumbers checks that a text has only printable characters, and no NaN or infinity.
func plainNumbers(t *testing.T, text string, data []byte) {
	t.Helper()
	for _, bad := range []string{"NaN", "+Inf", "-Inf"} {
		if strings.Contains(text, bad) && !strings.Contains(string(data), bad) {
			t.Errorf("%s in\n%s", bad, text)
		}
	}
	for _, r := range text {
		if r < ' ' && r != '\n' {
			t.Fatalf("control character %q in\n%s", r, text)
		}
	}
}
