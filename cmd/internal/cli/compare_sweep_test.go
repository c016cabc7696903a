package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/option"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// With one message size the run of every size could be a point of the sweep along QPs, too. Each point must be that of the
// run for its own sweep.
func TestPointsOfASweepAreOfItsOwnRuns(t *testing.T) {
	for _, sizes := range []string{"64", "8,64"} {
		c := startBoth(t, quick, "-s", sizes)
		wantEnd(t, "client", c.client.end(t), StatusDone)
		wantEnd(t, "server", c.server.end(t), StatusDone)
		plan := option.Plan{Sizes: []int{64}}
		var files []*result.File
		names := map[*result.File]string{}
		for _, r := range writtenParts(&plan) {
			f, err := result.Read(filepath.Join(c.dir, r.Name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			names[f] = r.Name
		}
		sweeps := 0
		for _, g := range rows.Groups(files) {
			part := map[rows.Axis]string{rows.AlongQPs: "-qps-%s", rows.AlongRate: "rate"}[g.Along]
			if part == "" {
				continue
			}
			sweeps++
			if g.Along == rows.AlongRate { // shares of the 1000 messages/s that the only mode answers, and more than any answers
				if len(g.Runs) != 5 || g.Label(0) != "10" || g.Label(4) != "1000M" {
					t.Errorf("sizes %s: %d rates from %s to %s", sizes, len(g.Runs), g.Label(0), g.Label(len(g.Runs)-1))
				}
				continue
			}
			for i, f := range g.Runs {
				if want := fmt.Sprintf(part, g.Label(i)); !strings.HasSuffix(names[f], want) {
					t.Errorf("sizes %s: %s at %s is of the run %s, want that of %s", sizes, g.Title(), g.Label(i), names[f], want)
				}
			}
		}
		if sweeps != 3 {
			t.Errorf("sizes %s: %d sweeps", sizes, sweeps)
		}
	}
}

// writtenParts returns the parts that have result files if poll is the only mode.
func writtenParts(base *option.Plan) (all []compare.Part) {
	most := compare.MaxRates{"poll": 1000}
	for _, p := range compare.Parts(base) {
		if p.Rate == (compare.Rate{}) || p.Rate.Max || most.PerSecond(p.Rate) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// With --rate-sweep a comparison measures only latency by rate.
func TestRateSweepOfAComparison(t *testing.T) {
	c := startBoth(t, quick, "--rate-sweep", "--runs", "5") // more than the sweeps of a whole comparison have
	wantEnd(t, "client", c.client.end(t), StatusDone)
	wantEnd(t, "server", c.server.end(t), StatusDone)
	for _, name := range filesIn(t, c.dir) {
		if strings.HasSuffix(name, ".json") && name != "verdict.json" && !strings.Contains(name, "-lat-rate-") {
			t.Errorf("it leaves %s", name)
		}
	}
	f, err := result.Read(filepath.Join(c.dir, "send-lat-rate-1-50.json"))
	if err != nil || f.Parameters.RateLimit != 500 || f.Comparison.Sweep != result.SweepRate {
		t.Errorf("%v: %+v", err, f)
	}
}

// The number of tests of a run counts those whose rates are not known yet, so that a server sees its last test as the last one only.
func TestTestsThatAreLeft(t *testing.T) {
	p := option.Plan{Sizes: []int{64}}
	parts := compare.RateSweep(&p)
	send := slices.IndexFunc(parts, func(p compare.Part) bool { return p.Plan.Op == option.OpSend })
	known := map[option.Op]compare.MaxRates{option.OpWrite: {"poll": 1000}}
	both := map[option.Op]compare.MaxRates{option.OpWrite: {"poll": 1000}, option.OpSend: {"poll": 1000}}
	none := map[option.Op]compare.MaxRates{}
	for _, c := range []struct {
		what  string
		run   compareRun
		parts []compare.Part
		want  int
	}{
		{"all, at first", compareRun{Number: 1, MaxRates: none}, parts, len(parts)},
		{"after the first maximum", compareRun{Number: 1, MaxRates: known}, parts[1:], 4 + len(parts) - send},
		{"at the second maximum", compareRun{Number: 1, MaxRates: known}, parts[send:], len(parts) - send},
		{"after the second maximum", compareRun{Number: 1, MaxRates: both}, parts[send+1:], 4},
		{"after the last rate", compareRun{Number: 1, MaxRates: both}, parts[send+5:], 0},
		{"all, in another run", compareRun{Number: 2, MaxRates: both}, parts, 2 * 5},
		{"a maximum that could not be measured", compareRun{Number: 1, MaxRates: none}, parts[send+1:], 0},
	} {
		if got := c.run.left(c.parts); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}
