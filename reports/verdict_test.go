package reports

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/golden"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// The client's and the server's file of a run say what one of them says.
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
				cards.WriteString(c.Op + " " + c.Kind + ": " + c.Title + "\n  " + strings.Join(c.Lines, "\n  ") + "\n")
			}
		}
	}
	golden.Check(t, "verdicts.golden", []byte(b.String()))
	golden.Check(t, "verdict_cards.golden", []byte(cards.String()))
}

// A device that brings wrong data after a completion is worth no figures, on cards either.
func TestNothingIsSaidOfAWrongDevice(t *testing.T) {
	files := append(usual(t, func(*result.File) {}), checkedFile(t, "write", map[string]result.Verify{"poll": {Torn: 1}}))
	v := Judge(files)
	for _, c := range v.Cards {
		if c.Op == "write" && !slices.Equal(c.Lines, []string{"nothing is concluded for 8-64K bytes: messages were not as sent after a completion, see below"}) {
			t.Errorf("%s: %q", c.Title, c.Lines)
		}
	}
	if text := v.Text(0); strings.Contains(text, "In short") || strings.Contains(text, "Kept") || strings.Contains(text, "Yes: shm_whole on node2") {
		t.Errorf("the verdict:\n%s", text)
	}
}

func TestWordsOfVerdicts(t *testing.T) {
	for got, want := range map[string]string{
		together([]string{"read latency", "read bandwidth"}):                                    "read latency and bandwidth",
		together([]string{"write latency", "send latency", "read latency"}):                     "write, send and read latency",
		together([]string{"write latency", "read bandwidth"}):                                   "write latency and read bandwidth",
		together([]string{"write latency [1]", "write latency [2]"}):                            "write latency [1] and write latency [2]",
		together([]string{"write latency, 64 bytes"}):                                           "write latency, 64 bytes",
		together([]string{"write latency", "write latency, 8 bytes", "write latency, 8 bytes"}): "write latency and write latency (8 bytes)",
		thousands(0) + " " + thousands(999) + " " + thousands(1234567):                          "0 999 1,234,567",
		percentNumber(0.0312) + " " + percentNumber(0.0996) + percentNumber(1):                  "3.1 10100",
		wakeUpNumber(0) + " " + wakeUpNumber(0.0000741) + " " + wakeUpNumber(1.094):             "0.0 0.000074 1.1",
		pauseText(1500000) + ", " + pauseText(10000) + ", " + pauseText(2e9):                    "1.5 ms, 10 usec, 2 s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNoVerdictWhereNothingIsCompared(t *testing.T) {
	one := synthetic.File(t, "write", result.KindLatency, []int{8}, "poll")
	plain := synthetic.File(t, "write", result.KindLatency, []int{8}, "data")
	plain.Parameters.Compare, plain.Parameters.Completion = false, option.ModeData
	if v := Judge([]*result.File{one, plain}); v != nil {
		t.Errorf("a verdict:\n%s", v.Text(0))
	}
	if v := Judge(nil); v != nil {
		t.Error("a verdict of nothing")
	}
}

func TestTextsEndWithTheVerdict(t *testing.T) {
	f := turns(t, "write", result.KindLatency, []int{8}, map[string][]float64{"data": {0.5}})
	want := "\n" + Judge([]*result.File{f}).Text(0)
	if got := tables(t, false, f); !strings.HasSuffix(got, want) || strings.Count(got, "VERDICT") != 1 {
		t.Errorf("the text of a run:\n%s", got)
	}
	if got := sideBySide(t, f, f, alongQPs(t)[0]); strings.Count(got, "VERDICT") != 1 {
		t.Errorf("the text of several runs:\n%s", got)
	}
}

func TestLinesOfTheVerdictAreNoWiderThanTheTerminal(t *testing.T) {
	v := Judge(append(usual(t, func(*result.File) {}), checkedFile(t, "write", map[string]result.Verify{"data": {Torn: 1}})))
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
		f, err := result.Read(filepath.Join("result", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		holds(t, Judge([]*result.File{f}).Text(0), "nothing is concluded: "+why, "Yes: ")
	}
}

// FuzzJudge holds that what Parse accepts can be judged.
func FuzzJudge(f *testing.F) {
	for _, name := range []string{"version1.json", "version2.json"} {
		file, err := result.Read(filepath.Join("result", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		data, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
		file := synthetic.File(f, "send", kind, []int{2, 4096}, "data", "poll", "event")
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
				printable(t, v.Text(80), data)
			}
		}
	})
}

// printable holds that a text is one of printable characters, without what is no number.
func printable(t *testing.T, text string, data []byte) {
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
