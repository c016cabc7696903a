package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// The line on a terminal goes on with the measurements and, where the run's time is known, with
// that. Behind the end nothing is shown.
func TestProgress(t *testing.T) {
	counted := option.Plan{Runs: 1, Sizes: []int{2, 4}}
	timed, precise, endless := counted, counted, counted
	timed.Duration, timed.Margin = 3*time.Second, time.Second
	precise.Duration, precise.Precision = 3*time.Second, 0.01
	endless.Duration, endless.Endless = 3*time.Second, true
	for name, c := range map[string]struct {
		plan option.Plan
		want string
	}{
		"counted": {counted, "0 of 2 measurements done|1 of 2 measurements done|"},
		"timed": {timed, "0 of 2 measurements done, 0 of 8 s|0 of 2 measurements done, 1 of 8 s|0 of 2 measurements done, 2 of 8 s|" +
			"1 of 2 measurements done, 2 of 8 s|1 of 2 measurements done, 3 of 8 s|1 of 2 measurements done, 4 of 8 s|"},
		"precise": {precise, "0 of 2 measurements done|1 of 2 measurements done|"},
		"endless": {endless, "|"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := progress{console: newConsole(io.Discard, &out), shown: true}
			file := &result.File{Parameters: result.Parameters{Plan: c.plan, Extent: result.Extent{Modes: []string{"poll"}}}}
			p.begin(file)
			time.Sleep(2500 * time.Millisecond)
			p.next(func() {})
			time.Sleep(2 * time.Second)
			p.next(func() {})
			p.end()
			time.Sleep(5 * time.Second)
			if got := strings.ReplaceAll(out.String(), "\r\x1b[K", "|"); strings.TrimRight(got, "|") != strings.TrimRight(c.want, "|") {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// Where nobody looks nothing is shown.
func TestNoProgressWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	p := progress{console: newConsole(io.Discard, &out)}
	p.begin(&result.File{Parameters: result.Parameters{Plan: option.Plan{Runs: 1, Sizes: []int{2}, Duration: time.Hour}, Extent: result.Extent{Modes: []string{"poll"}}}})
	p.next(func() {})
	p.end()
	if out.Len() > 0 || p.over != nil {
		t.Errorf("%q is shown", out.String())
	}
}
