package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/launch"
	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/cmd/internal/cluster/simulation"
	"github.com/ibperf/ibperf/option"
)

// clusterOptions holds the command line of ib_cluster.
type clusterOptions struct {
	option.Settings                  // device, port and folder
	tests           results.Settings // Verify is in option.Settings
	spec            *simulation.Spec // nil: no simulation
	runs            int
	explain, help   bool
	given           launch.Given
	draw            DrawCluster
	keep            results.Keep
	quick           bool
	topology        string // path; empty: as the launcher says
}

// Defaults of ib_cluster alone.
const (
	clusterFolder  = "ib_cluster.out"
	clusterTimeout = 30 * time.Second // within which all ranks must appear
	quickLimit     = 20 * time.Second // of the tests with --quick
)

// devices returns the device of each rail, "" for the one that is chosen.
func (o *clusterOptions) devices() []string { return strings.Split(o.Own.Device, ",") }

// checkRails returns an error if --all-rails has one device.
func (o *clusterOptions) checkRails() error {
	if o.tests.AllRails && len(o.devices()) == 1 {
		return usage("--all-rails needs several devices of each node: -d NAME,NAME")
	}
	return nil
}

func newClusterOptions() *clusterOptions {
	o := &clusterOptions{Settings: option.New(option.Test{Op: option.OpWrite, Kind: option.KindBandwidth}), runs: 100,
		keep:  results.KeepLow,
		tests: results.Settings{Slow: 0.1, Schedule: schedule.PatternCircle, Partners: schedule.DefaultPartners}, given: launch.Given{Rank: -1}}
	o.Own.Folder, o.Own.ConnectTimeout, o.Own.Port = clusterFolder, clusterTimeout, 0
	return o
}

func defineCluster(o *clusterOptions) *flags {
	f := newFlags()
	shared := func(name, help string) { f.option(option.Find(name), &o.Settings, help) }
	f.group("Tests")
	shared("ib-dev", "use device NAME (default: the first RDMA device with an active port), or several of each node, NAME,NAME: those of the same place, which are a rail, are tested with each other")
	f.toggle(&o.tests.AllRails, "all-rails", "", "test all devices of a pair of nodes at the same time (default: one after another)")
	shared("ib-port", "use port N of the device (default 1)")
	shared("gid-index", "use GID N of the port (default: chosen)")
	shared("verify", "check every byte of the bandwidth tests; a test with wrong data has failed")
	f.parsed("slow", "PERCENT", fmt.Sprintf("look for nodes that are slower by PERCENT than the others (default %.0f%%)", 100*o.tests.Slow),
		func(arg string) (err error) {
			if o.tests.Slow, err = simulation.Percent(arg); err == nil && o.tests.Slow == 0 {
				err = errors.New("write a percentage above 0")
			}
			return err
		})
	f.parsed("schedule", "NAME", "begin with the pairs of NAME: "+strings.Join(schedule.Patterns(), ", ")+" (default "+o.tests.Schedule+"); the first node of one-to-all is rank 0",
		func(arg string) error {
			if o.tests.Schedule = arg; !slices.Contains(schedule.Patterns(), arg) {
				return fmt.Errorf("choose one of %s", strings.Join(schedule.Patterns(), ", "))
			}
			return nil
		})
	f.toggle(&o.tests.Together, "together", "", "run the tests of a round at the same time, for longer, to load the network (default: one test after another)")
	f.parsed("min-bw", "RATE", "count a test whose bandwidth is below RATE, in Gb/s of both directions, as a low one (default: no limit)", o.tests.Limits.SetMinBandwidth)
	f.parsed("max-lat", "p99=TIME", "count a test whose 99 % latency is above TIME, such as 10us, as a low one; also p50=TIME, and both with a comma between them (default: no limit)", o.tests.Limits.SetMaxLatency)
	f.parsed("partners", "N", fmt.Sprintf("test each node with N others at least, and with more ones until it is decided (default %d: all of up to %d nodes); a single bad pair is found with a chance of N / (nodes - 1)", o.tests.Partners, o.tests.Partners),
		number(&o.tests.Partners, 1))
	shared("time-limit", "begin no further tests after TIME; nodes that are undecided then stay so (default: a minute, and 4 s for each device)")
	f.text(&o.topology, "topology", "", "FILE", "judge groups of nodes, too: FILE, which rank 0 reads, has a line for each leaf switch, as Slurm's topology.conf: SwitchName=leaf1 Nodes=n[01-16] (default: Slurm's SLURM_TOPOLOGY_ADDR)")
	f.toggle(&o.quick, "quick", "", fmt.Sprintf("as in the prolog of a job: --partners 1, and begin no test after %v", quickLimit))
	f.group("Output of rank 0")
	shared("dir", fmt.Sprintf("write journal.jsonl, cluster.json and heat maps of pairs into DIR (default %s)", clusterFolder))
	f.parsed("keep", "WHAT", "keep the result files of low and failed tests (low, the default; of up to 2,000 tests) or of all tests (all) in the folder tests below that of --dir",
		func(arg string) error {
			if o.keep = results.Keep(arg); o.keep != results.KeepLow && o.keep != results.KeepAll {
				return errors.New("choose one of low, all")
			}
			return nil
		})
	f.toggle(&o.Own.Resume, "resume", "", "continue the run of the journal in the folder of --dir: measure what is missing")
	f.group("Place")
	f.toggle(&o.explain, "explain-launch", "", "print rank, number of ranks, job and routes to rank 0, as the launcher's environment has them")
	f.parsed("rank", "N", "rank of this process (default: from the launcher)", number(&o.given.Rank, 0))
	f.parsed("ranks", "N", "number of ranks (default: from the launcher)", number(&o.given.Ranks, 1))
	f.text(&o.given.Root, "root", "", "ADDRESS", "name or address of rank 0's host (default: from the launcher)")
	shared("port", "TCP port of rank 0, the same on all ranks (default: from the identity of the job)")
	shared("connect-timeout", fmt.Sprintf("leave out ranks that have not reached rank 0 within TIME (default %v)", clusterTimeout))
	shared("secret-file", "admit only ranks that have the secret in the file at PATH (with PMI-1 or PMIx, rank 0 hands out a random one)")
	f.group("Simulation")
	f.parsed("simulate", "SPEC", "run schedule and verdicts on simulated clusters, such as nodes=128,bad=1%,slow=10%,noise=3%; also outliers=1%, pairs=1, groups=8 and uplinks=1: "+
		"bad nodes (a number or a share, at least one) and pairs are slower by slow; of groups, some have one uplink of 16 that is slower by half; noise is the standard deviation of a test; outliers are tests that are 5 to 50 % lower without a reason in a node",
		func(arg string) (err error) {
			o.spec, err = simulation.ParseSpec(arg)
			return err
		})
	f.parsed("runs", "N", fmt.Sprintf("number of simulated runs (default %d)", o.runs), number(&o.runs, 1))
	f.group("Other")
	f.toggle(&o.help, "help", "h", "print this text")
	f.toggle(&o.Own.Version, "version", "V", "print the version")
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
	writeEntry(&b, "", name+" finds slow nodes of a cluster from tests of pairs. A launcher starts it on every node with the same command line; rank 0 tests one pair after another, and prints which nodes are bad.", 0, width)
	b.WriteString("\nUsage:\n")
	writeEntry(&b, "  LAUNCHER "+name+" [options]", "test the nodes of a job, of which each has one process", helpIndent, width)
	writeEntry(&b, "  "+name+" --explain-launch [options]", "print what a launcher's environment says", helpIndent, width)
	writeEntry(&b, "  "+name+" --simulate SPEC [options]", "run schedule and verdicts on simulated clusters", helpIndent, width)
	writeGroups(&b, f.groups, width)
	fmt.Fprintf(&b, "\nExample:\n  srun -N 8 -n 8 %s --dir out\n  %s --simulate nodes=1024,slow=10%%,noise=3%% --runs 300\n", name, name)
	b.WriteString("\nExit status:\n" +
		"  0  no bad node was found; also of each rank but 0 whose options are right\n  1  any other failure, including interruption\n  2  wrong options\n  3  no usable device\n" +
		"  4  ranks that did not appear or were lost, and no bad node\n  7  bad nodes, pairs or groups, or limits that nodes missed\n")
	return b.String()
}
