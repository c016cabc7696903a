//go:build trials

package e2e

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// seeds is the number of runs of each fault.
var seeds = flag.Int("seeds", 2, "number of runs of each fault of a cluster, and of kills")

// A rankFault is a fault of a rank, or of two.
type rankFault struct {
	name    string
	options string                           // of all ranks
	device  func(ranks []int) map[int]string // options of faulty ranks
	dead    bool                             // the first faulty rank is not started
	status  int
	named   func(ranks []int) string // what the report must name
}

func state(text string) func([]int) string {
	return func(ranks []int) string { return fmt.Sprintf("rank %d %s", ranks[0], text) }
}

func device(name string) func([]int) map[int]string {
	return func(ranks []int) map[int]string { return map[int]string{ranks[0]: "-d " + name} }
}

var rankFaults = []rankFault{
	{name: "slow", device: device("slow"), status: statusLimit, named: state("bad")},
	{name: "dead", options: "--connect-timeout 10", device: device("shm_whole"), dead: true, status: statusPeer, named: state("missing")},
	{name: "stopped while it opens the device", device: device("stopped"), status: statusLimit, named: state("bad")},
	{name: "wrong data", options: "--verify", device: device("shm_liar"), status: statusLimit, named: state("bad")},
	{
		name: "slow pair", status: statusLimit,
		device: func(r []int) map[int]string {
			all := map[int]string{}
			for _, rank := range eight {
				all[rank] = pairDevice(rank, len(eight)) // no rank: the device only costs what it costs in the pair
			}
			all[r[0]], all[r[1]] = pairDevice(r[0], r[1]), pairDevice(r[1], r[0])
			return all
		},
		named: func(r []int) string { return fmt.Sprintf("pair %d-%d", min(r[0], r[1]), max(r[0], r[1])) },
	},
}

// pairDevice returns the option that names the device of a rank which is slow with a peer.
func pairDevice(own, peer int) string {
	return fmt.Sprintf("-d pair:%s%d:%[1]s%[3]d", filepath.Base(bin), own, peer)
}

// TestTrialOfClusterSeeds: what is faulty is named, and nothing else, in all runs but one in 50 of a slow pair.
func TestTrialOfClusterSeeds(t *testing.T) {
	program := filepath.Join(t.TempDir(), "faulty")
	build := exec.Command("go", "build", "-o", program, "./cmd/internal/cluster/testdata/faulty")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range rankFaults {
		t.Run(f.name, func(t *testing.T) {
			right := 0
			for seed := range *seeds {
				ranks := []int{1 + seed%7, (3 + 2*seed) % 8}
				if ranks[0] == ranks[1] {
					ranks[1] = 0
				}
				if found := runFault(t, program, &f, ranks); found == f.named(ranks) {
					right++
				} else {
					t.Logf("seed %d: named %q, want %q", seed, found, f.named(ranks))
				}
			}
			t.Logf("%d of %d", right, *seeds)
			if wrong := *seeds - right; wrong > 0 && (f.name != "slow pair" || wrong > 1) {
				t.Errorf("%d runs have another result", wrong)
			}
		})
	}
}

// runFault runs eight ranks and returns what the report names.
func runFault(t *testing.T, program string, f *rankFault, ranks []int) (named string) {
	t.Run("run", func(t *testing.T) {
		w := newWorkspace(t, "out")
		started := eight
		if f.dead {
			started = append(append([]int{}, eight[:ranks[0]]...), eight[ranks[0]+1:]...)
		}
		all := w.startRanks(program, 8, started, f.options, f.device(ranks))
		all[0].wait(clusterLimit)
		named = w.readCluster().named()
	})
	return named
}

// named returns the ranks that are bad, lost or missing, and the bad pairs.
func (r *clusterReport) named() string {
	var all []string
	for _, n := range r.Nodes {
		if n.State != "good" && n.State != "undecided" {
			all = append(all, fmt.Sprintf("rank %d %s", n.Rank, n.State))
		}
	}
	for _, p := range r.Pairs {
		if text := fmt.Sprintf("pair %d-%d", p.A, p.B); len(all) == 0 || all[len(all)-1] != text {
			all = append(all, text) // by both figures
		}
	}
	return strings.Join(all, ", ")
}
