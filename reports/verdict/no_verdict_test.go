package verdict

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// steadyRun returns a run that allows a verdict: two sizes in four modes, whose rounds differ by 2 %.
func steadyRun(t *testing.T) *result.File {
	f := testresult.File(t, "write", option.KindLatency, []int{8, 4096}, "data", "poll", "adaptive", "event")
	f.Peer.Host = f.Local.Host
	for i := range f.Rows {
		f.Rows[i].Peer.CPUs = []int{0}
	}
	return f
}

// eachSpinning calls change for the rows of modes that spin.
func eachSpinning(f *result.File, change func(*result.Row)) {
	for i := range f.Rows {
		if r := &f.Rows[i]; r.Mode == "data" || r.Mode == "poll" {
			change(r)
		}
	}
}

// busy sets what the threads of both sides had of their CPUs' time.
func busy(here, peer float64) func(*result.File) {
	return func(f *result.File) {
		eachSpinning(f, func(r *result.Row) { r.Local.Busy, r.Peer.Busy = here, peer })
	}
}

// warned gives some rows of a file a warning.
func warned(id result.WarningID, rows ...int) func(*result.File) {
	return func(f *result.File) {
		for _, i := range rows {
			f.Rows[i].Warnings = append(f.Rows[i].Warnings, result.Warning{ID: id, Text: "text"})
		}
	}
}

// varying multiplies the figures of every other round of the rows of poll.
func varying(by float64) func(*result.File) {
	return func(f *result.File) {
		for i := range f.Rows {
			for j := range f.Rows[i].Rounds {
				if r := &f.Rows[i].Rounds[j]; f.Rows[i].Mode == "poll" && j%8 < 4 {
					r.P50Ns *= by
				}
			}
		}
	}
}

// roundsOf sets the time of all rounds.
func roundsOf(seconds float64) func(*result.File) {
	return func(f *result.File) {
		for i := range f.Rows {
			for j := range f.Rows[i].Rounds {
				f.Rows[i].Rounds[j].Seconds = seconds
			}
		}
	}
}

func runsOfTwo(f *result.File) {
	f.Parameters.Runs, f.Parameters.Rounds = 2, 10
	for i := range f.Rows {
		for j := range f.Rows[i].Rounds {
			f.Rows[i].Rounds[j].Run = 1 + j/10
		}
	}
}

func roundsOfOne(f *result.File) {
	f.Parameters.Runs, f.Parameters.Rounds = 1, 4
	for i := range f.Rows {
		f.Rows[i].Rounds = f.Rows[i].Rounds[:4]
	}
}

func twoHosts(f *result.File) { f.Peer.Host, f.Local.CPUs, f.Peer.CPUs = "node2", 64, 64 }

func TestNoVerdict(t *testing.T) {
	const stopBoth, again = "Stop other work on CPUs 0 and 1", ", and run again."
	const software = ", and run again; the software device may take some of it."
	for name, c := range map[string]struct {
		changes        []func(*result.File)
		reason, remedy string // empty: there is a verdict
	}{
		"steady":           {},
		"at the limit":     {[]func(*result.File){busy(0.9, 0.9)}, "", ""},
		"one thread":       {[]func(*result.File){busy(0.489, 0.95)}, "the measuring thread on CPU 1 had 48 % of its CPU's time (limit 90 %)", "Stop other work on CPU 1" + software},
		"on hardware":      {[]func(*result.File){onHardware, busy(0.5, 1)}, "CPU 1 had 50 %", "CPU 1" + again},
		"both threads":     {[]func(*result.File){busy(0.52, 0.5)}, "the measuring thread on CPU 0 had 50 % of its CPU's time (limit 90 %)", stopBoth + software},
		"just below":       {[]func(*result.File){busy(0.8999, 1)}, "had 89 % of", "CPU 1" + software},
		"short rounds":     {[]func(*result.File){roundsOf(0.0007), busy(0.5, 0.5)}, "", ""}, // 0.35 ms in each
		"less short":       {[]func(*result.File){roundsOf(0.0009), busy(0.5, 0.6)}, "CPU 1 had 50 %", "CPU 1" + software},
		"no loop":          {[]func(*result.File){busy(1, 0)}, "", ""},
		"on another host":  {[]func(*result.File){twoHosts, busy(1, 0.5)}, "the measuring thread on CPU 0 of node2 had 50 %", "Stop other work on CPU 0 of node2, or choose idle CPUs with --pin_cores" + software},
		"pauses":           {[]func(*result.File){func(f *result.File) { f.Parameters.Gap = 1000 }, busy(0.1, 1)}, "", ""},
		"pauses, at peer":  {[]func(*result.File){func(f *result.File) { f.Parameters.Gap = 1000 }, busy(0.1, 0.5)}, "on CPU 0 had 50 %", "CPU 0" + software},
		"few disturbed":    {[]func(*result.File){warned(result.WarnPreempted, 0)}, "", ""},
		"half disturbed":   {[]func(*result.File){warned(result.WarnPreempted, 1)}, "", ""},
		"most disturbed":   {[]func(*result.File){warned(result.WarnPreempted, 1, 4)}, "4 of 6 comparisons are disturbed: other work took the core of a thread that spins", "Stop other work on the CPUs of the measuring threads" + again},
		"short":            {[]func(*result.File){warned(result.WarnShortRun, 0, 1, 2, 3, 4, 5, 6, 7), warned(result.WarnPreempted, 1)}, "6 of 6 comparisons are disturbed: measured over less than 10 ms", "Use a longer --duration or more --iters" + again},
		"other warnings":   {[]func(*result.File){warned(result.WarnFewSamples, 0, 1, 2, 3, 4, 5, 6, 7)}, "", ""},
		"two runs":         {[]func(*result.File){runsOfTwo}, "2 runs are too few for intervals", "Use --runs 5" + again},
		"one short run":    {[]func(*result.File){roundsOfOne}, "a run of 4 rounds is too few for intervals", "Use --runs 5" + again},
		"varying":          {[]func(*result.File){varying(1.2)}, "", ""},
		"varying too much": {[]func(*result.File){varying(200)}, "rounds differ too much: the ends of 6 of 6 intervals are more than a factor of 4 apart", "or use more --runs and a longer --duration" + again},
		"one mode": {[]func(*result.File){busy(0.5, 0.5), func(f *result.File) {
			f.Rows, f.Parameters.Modes = f.Rows[:1], f.Parameters.Modes[:1]
		}}, "", ""},
		"not compared": {[]func(*result.File){busy(0.5, 0.5), func(f *result.File) {
			for i := range f.Rows {
				f.Rows[i].NoRatio = "READs completed within the post"
			}
		}}, "", ""},
	} {
		f := steadyRun(t)
		for _, change := range c.changes {
			change(f)
		}
		reason, remedy, none := NoVerdict([]*result.File{f})
		if none != (c.reason != "") || !strings.Contains(reason, c.reason) || !strings.HasSuffix(remedy, c.remedy) || none && remedy == "" {
			t.Errorf("%s: no verdict %v: %q %q, want %q %q", name, none, reason, remedy, c.reason, c.remedy)
		}
	}
}

// The time of all rows counts, not the number of rows, and the two files of one run count once.
func TestNoVerdictOfSeveralFiles(t *testing.T) {
	long, short := steadyRun(t), steadyRun(t)
	short.Op = "send"
	busy(0.1, 1)(short)
	if reason, _, none := NoVerdict([]*result.File{long, short}); !none || !strings.Contains(reason, "had 54 %") {
		t.Errorf("of two equal files: %v %q", none, reason)
	}
	eachSpinning(long, func(r *result.Row) {
		for i := range r.Rounds {
			r.Rounds[i].Seconds *= 20
		}
	})
	if reason, _, none := NoVerdict([]*result.File{long, short}); none {
		t.Errorf("of a long and a short file: %q", reason)
	}
	if _, _, none := NoVerdict(nil); none {
		t.Error("of nothing")
	}
}

func TestCPUsInWords(t *testing.T) {
	for want, cpus := range map[string][]int{"its CPU": nil, "CPU 7": {7}, "CPUs 0 and 1": {0, 1}, "CPUs 0, 2-5": {0, 2, 3, 4, 5}, "CPUs 1, 3, 5": {1, 3, 5}} {
		if got := cpusText(cpus); got != want {
			t.Errorf("%v: %q, want %q", cpus, got, want)
		}
	}
}

func TestSteadiness(t *testing.T) {
	f := steadyRun(t)
	const want = "spinning threads had 97 % of their CPUs' time, 8 of 10 rounds of a row lie within ±1.5 %"
	busy(0.97, 1)(f)
	if got := steadyText([]*result.File{f}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Rows = nil
	if got := steadyText([]*result.File{f}); got != "" {
		t.Errorf("without rows: %q", got)
	}
}
