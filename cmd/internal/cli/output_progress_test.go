package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ibperf/ibperf/option"
)

// The line on a terminal is rewritten once a second. It shows the number of rounds, all of them if the plan says
// how many, and the time if the plan says how long they take. After the last round and after the end it is not shown.
func TestProgress(t *testing.T) {
	counted := option.Plan{Runs: 1, Rounds: 1}
	timed, compared, precise, endless := counted, counted, counted, counted
	timed.Duration, timed.Margin = 5*time.Second, time.Second // 1 s of warm-up, 3 s measured, and 1 s cut off
	compared.Duration, compared.Compare, compared.Runs, compared.Rounds = 2*time.Second, true, 10, 2
	precise.Duration, precise.Precision = 3*time.Second, 0.01
	endless.Duration, endless.Endless = 3*time.Second, true
	for name, c := range map[string]struct {
		plan option.Plan
		want string
	}{
		"counted": {counted, "0 of 2 rounds done|0 of 2 rounds done|0 of 2 rounds done|1 of 2 rounds done|1 of 2 rounds done|"},
		"timed": {timed, "0 of 2 rounds done, 0 of 8 s|0 of 2 rounds done, 1 of 8 s|0 of 2 rounds done, 2 of 8 s|" +
			"1 of 2 rounds done, 3 of 8 s|1 of 2 rounds done, 4 of 8 s|"},
		"compared": {compared, "0 of 40 rounds done, 0 of 4 s|0 of 40 rounds done, 1 of 4 s|0 of 40 rounds done, 2 of 4 s|" +
			"1 of 40 rounds done, 3 of 4 s|1 of 40 rounds done, 4 of 4 s|2 of 40 rounds done, 4 of 4 s|"},
		"precise": {precise, "0 rounds done|0 rounds done|0 rounds done|1 rounds done|1 rounds done|2 rounds done|"},
		"endless": {endless, "|"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := progress{console: newConsole(io.Discard, &out), shown: true}
			p.begin(&c.plan, 2)
			time.Sleep(2500 * time.Millisecond)
			p.next()
			time.Sleep(2 * time.Second)
			p.next()
			p.print(func() {})
			p.end()
			time.Sleep(5 * time.Second)
			if got := strings.ReplaceAll(out.String(), "\r\x1b[K", "|"); strings.TrimRight(got, "|") != strings.TrimRight(c.want, "|") {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// Without a terminal the line is not shown.
func TestNoProgressWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	p := progress{console: newConsole(io.Discard, &out)}
	p.begin(&option.Plan{Runs: 1, Rounds: 1, Duration: time.Hour}, 1)
	p.next()
	p.print(func() {})
	p.end()
	if out.Len() > 0 || p.over != nil {
		t.Errorf("%q is shown", out.String())
	}
}
