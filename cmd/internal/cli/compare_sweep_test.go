package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/option"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// Both sweeps of a latency test have a run of one QP without pauses, and with one message size the run of
// every size is a third. Each point must be that of the run for its own sweep.
func TestPointsOfASweepAreOfItsOwnRuns(t *testing.T) {
	for _, sizes := range []string{"64", "8,64"} {
		c := startBoth(t, quick, "-s", sizes)
		wantEnd(t, "client", c.client.end(t), StatusDone)
		wantEnd(t, "server", c.server.end(t), StatusDone)
		plan := option.Plan{Sizes: []int{64}}
		var files []*result.File
		names := map[*result.File]string{}
		for _, r := range compare.Parts(&plan) {
			f, err := result.Read(filepath.Join(c.dir, r.Name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			names[f] = r.Name
		}
		sweeps := 0
		for _, g := range rows.Groups(files) {
			part := map[rows.Axis]string{rows.AlongQPs: "-qps-%s", rows.AlongGap: "-gap-%sus"}[g.Along]
			if part == "" {
				continue
			}
			sweeps++
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
