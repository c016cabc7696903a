package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/cluster/launch"
	"github.com/ibperf/ibperf/cmd/internal/cluster/simulation"
	"github.com/ibperf/ibperf/internal/version"
)

// clusterProgram is the name of the program behind [Cluster].
const clusterProgram = "ib_cluster"

// clusterOptions holds the command line of ib_cluster.
type clusterOptions struct {
	spec          *simulation.Spec // nil: no simulation
	slow          float64
	runs          int
	explain       bool
	given         launch.Given
	help, version bool
}

// Cluster runs ib_cluster: args with the program's name, as in os.Args. It returns the exit status.
func Cluster(args []string, stdout, stderr io.Writer) int {
	return runCluster(call{clusterProgram, args, args[1:], stdout, stderr})
}

func runCluster(c call) int {
	console := newConsole(c.stdout, c.stderr)
	return guarded(c.name, console, func(ctx context.Context) error { return cluster(ctx, console, c.name, c.args) })
}

// cluster does what the command line of the program says, whose name is the one that the user called.
func cluster(ctx context.Context, c *console, name string, args []string) error {
	o := clusterOptions{slow: 0.1, runs: 100, given: launch.Given{Rank: -1}}
	f := defineCluster(&o)
	if err := f.parse(args); err != nil {
		return err
	}
	text := ""
	var err error
	switch {
	case o.help:
		text = clusterHelp(name, f, c.width())
	case o.version:
		text = version.Line(name)
	case f.set.NArg() > 0:
		return usage(fmt.Sprintf("%s takes no arguments: each process finds rank 0 by its launcher", name))
	case (o.spec != nil) == o.explain:
		return usage("give one of --simulate and --explain-launch: this release does not measure clusters")
	case o.explain:
		text, err = explainLaunch(o.given)
	default:
		text, err = simulate(ctx, &o)
	}
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	return err
}

func defineCluster(o *clusterOptions) *flags {
	f := newFlags()
	f.group("Simulation")
	f.parsed("simulate", "SPEC", "run schedule and verdicts on simulated clusters, such as nodes=128,bad=1%,slow=10%,noise=3%,outliers=1%,pairs=1: "+
		"bad nodes (a number or a share, at least one) and pairs are slower by slow; noise is the standard deviation of a test; outliers are tests that are 5 to 50 % lower without a reason in a node",
		func(arg string) (err error) {
			o.spec, err = simulation.ParseSpec(arg)
			return err
		})
	f.parsed("runs", "N", fmt.Sprintf("number of simulated runs (default %d)", o.runs), number(&o.runs, 1))
	f.parsed("slow", "PERCENT", fmt.Sprintf("look for nodes that are slower by PERCENT than the others (default %.0f%%)", 100*o.slow),
		func(arg string) (err error) {
			if o.slow, err = simulation.Percent(arg); err == nil && o.slow == 0 {
				err = errors.New("write a percentage above 0")
			}
			return err
		})
	f.group("Place")
	f.toggle(&o.explain, "explain-launch", "", "print rank, number of ranks, job and routes to rank 0, as the launcher's environment has them")
	f.parsed("rank", "N", "rank of this process (default: from the launcher)", number(&o.given.Rank, 0))
	f.parsed("ranks", "N", "number of ranks (default: from the launcher)", number(&o.given.Ranks, 1))
	f.text(&o.given.Root, "root", "", "ADDRESS", "name or address of rank 0's host (default: from the launcher)")
	f.group("Other")
	f.toggle(&o.help, "help", "h", "print this text")
	f.toggle(&o.version, "version", "V", "print the version")
	return f
}

// parsed defines an option whose argument a function takes.
func (f *flags) parsed(name, argument, text string, take func(arg string) error) {
	f.add(&flagValue{take, func() string { return "" }}, flagHelp{name: name, argument: argument, text: text})
}

// number returns a function that takes a number from a smallest one.
func number(p *int, smallest int) func(string) error {
	return func(arg string) error {
		n, err := strconv.Atoi(arg)
		if err != nil || n < smallest {
			return fmt.Errorf("write a number from %d", smallest)
		}
		*p = n
		return nil
	}
}

func clusterHelp(name string, f *flags, width int) string {
	var b strings.Builder
	width = textWidth(width)
	writeEntry(&b, "", name+" shows how certainly its rules find slow nodes of a cluster from tests of pairs, and the place that a launcher gives a process. It does not measure clusters yet.", 0, width)
	b.WriteString("\nUsage:\n")
	writeEntry(&b, "  "+name+" --simulate SPEC [options]", "run schedule and verdicts on simulated clusters", helpIndent, width)
	writeEntry(&b, "  "+name+" --explain-launch [options]", "print what a launcher's environment says", helpIndent, width)
	writeGroups(&b, f, width)
	fmt.Fprintf(&b, "\nExample:\n  %s --simulate nodes=1024,slow=10%%,noise=3%% --runs 300\n  srun -N 8 -n 8 %s --explain-launch\n", name, name)
	b.WriteString("\nExit status:\n  0  done\n  1  any other failure, including interruption and a place that is not known\n  2  wrong options\n")
	return b.String()
}

// explainLaunch returns the place of this process in words.
func explainLaunch(given launch.Given) (string, error) {
	e := launch.Environment{Variables: map[string]string{}}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		e.Variables[name] = value
	}
	hosts, err := os.ReadFile("/etc/hosts")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	e.Hosts = string(hosts)
	place, err := launch.Find(e, given)
	if err != nil {
		return "", err
	}
	return place.Explain(), nil
}

func simulate(ctx context.Context, o *clusterOptions) (string, error) {
	counts, err := simulation.Run(ctx, o.spec, o.slow, o.runs)
	if err != nil {
		return "", err
	}
	return counts.Text(o.spec, o.slow), nil
}
