package reports

import (
	"reflect"
	"slices"

	"github.com/ibperf/ibperf/reports/result"
)

// groupsOf lays runs together in the order of verdicts, latency before bandwidth of write,
// send, read and atomic operations. Of the two files of a run, its client's and its server's, one is enough.
// Runs keep the numbers that they have in tables.
func groupsOf(runs []*result.File) []*Group {
	numbers := map[*result.File]int{}
	for _, g := range Groups(runs) {
		for i, f := range g.Runs {
			numbers[f] = g.Numbers[i]
		}
	}
	groups := Groups(withoutCopies(runs))
	for _, g := range groups {
		for i, f := range g.Runs {
			g.Numbers[i] = numbers[f]
		}
	}
	ops := []string{"write", "send", "read", "atomic"}
	slices.SortStableFunc(groups, func(a, b *Group) int {
		if a.Op != b.Op {
			return slices.Index(ops, a.Op) - slices.Index(ops, b.Op)
		}
		return kindRank(a) - kindRank(b)
	})
	return groups
}

func kindRank(g *Group) int {
	return slices.Index([]string{result.KindLatency, result.KindBandwidth}, g.Kind)
}

// runsOf are the runs of groups.
func runsOf(groups []*Group) (runs []*result.File) {
	for _, g := range groups {
		runs = append(runs, g.Runs...)
	}
	return runs
}

// withoutCopies leaves out the files of servers whose clients' files are there.
func withoutCopies(runs []*result.File) []*result.File {
	return slices.DeleteFunc(slices.Clone(runs), func(f *result.File) bool {
		return f.Role == "server" && slices.ContainsFunc(runs, func(o *result.File) bool { return o.Role == "client" && sameRun(f, o) })
	})
}

// sameRun tells whether two files are of the two sides of one run: they have the same rounds.
func sameRun(a, b *result.File) bool {
	if a.Op != b.Op || a.Kind != b.Kind || a.Local.Host != b.Peer.Host || a.Peer.Host != b.Local.Host || len(a.Rows) != len(b.Rows) || len(a.Rows) == 0 {
		return false
	}
	for i := range a.Rows {
		x, y := &a.Rows[i], &b.Rows[i]
		if x.Size != y.Size || x.Name() != y.Name() || len(x.Rounds) == 0 || !reflect.DeepEqual(x.Rounds, y.Rounds) {
			return false
		}
	}
	return true
}
