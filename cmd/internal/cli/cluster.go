package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/cluster/agent"
	"github.com/ibperf/ibperf/cmd/internal/cluster/launch"
	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/cmd/internal/cluster/simulation"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/internal/version"
)

// clusterProgram is the name of the program behind [Cluster].
const clusterProgram = "ib_cluster"

// DrawCluster draws the heat maps of a run of ib_cluster into its folder.
type DrawCluster func(dir string, d *results.Document) error

// Cluster runs ib_cluster: args with the program's name, as in os.Args. It returns the exit status. Only draw
// draws, so that the tree below does not need the packages for it.
func Cluster(args []string, stdout, stderr io.Writer, draw DrawCluster) int {
	return runCluster(call{clusterProgram, args, args[1:], stdout, stderr}, draw)
}

func runCluster(c call, draw DrawCluster) int {
	a := newApp(c)
	if os.Getenv(taskVariable) == "" {
		return guarded(a.program, a.console, func(ctx context.Context) error { return a.cluster(ctx, c.args, draw) })
	}
	os.Unsetenv(taskVariable)
	machine.LimitFootprint()
	return guarded(a.program, a.console, func(ctx context.Context) error {
		var job agent.Job
		if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil {
			return err
		}
		return a.doTask(ctx, c.args, &job)
	})
}

// cluster does what the command line says.
func (a *app) cluster(ctx context.Context, args []string, draw DrawCluster) error {
	o := newClusterOptions()
	o.draw = draw
	f := defineCluster(o)
	if err := f.parse(args); err != nil {
		return err
	}
	if err := o.checkRails(); err != nil {
		return err
	}
	if o.quick && (f.set.Changed("partners") || f.set.Changed("time-limit")) {
		return usage("--quick sets --partners and --time-limit: leave them out")
	}
	if o.quick {
		o.tests.Partners, o.TimeLimit = 1, quickLimit
	}
	switch {
	case o.help:
		return a.print(clusterHelp(a.program, f, a.console.width()))
	case o.Own.Version:
		return a.print(version.Line(a.program))
	case f.set.NArg() > 0:
		return usage(fmt.Sprintf("%s takes no arguments: each process finds rank 0 by its launcher", a.program))
	case o.spec != nil && o.explain:
		return usage("give one of --simulate and --explain-launch")
	case o.tests.Together && !schedule.OneTestEach(o.tests.Schedule):
		return usage(fmt.Sprintf("--together --schedule %s: rank 0 would have many tests at once, and a node has one: leave out --together", o.tests.Schedule))
	case o.spec != nil:
		return a.simulate(ctx, o)
	}
	place, err := findPlace(o.given)
	if errors.Is(err, launch.ErrNone) {
		return usage(err.Error())
	}
	switch {
	case err != nil:
		return err
	case o.explain:
		return a.print(place.Explain())
	case place.Rank == 0:
		return a.coordinate(ctx, o, place)
	}
	return a.follow(ctx, o, place)
}

// findPlace returns the place of this process.
func findPlace(given launch.Given) (*launch.Place, error) {
	e := launch.Environment{Variables: map[string]string{}}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		e.Variables[name] = value
	}
	hosts, err := os.ReadFile("/etc/hosts")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	e.Hosts = string(hosts)
	return launch.Find(e, given)
}

func (a *app) simulate(ctx context.Context, o *clusterOptions) error {
	counts, err := simulation.Run(ctx, o.spec, o.tests.Slow, o.runs)
	if err != nil {
		return err
	}
	return a.print(counts.Text(o.spec, o.tests.Slow))
}
