package verdict

import (
	"reflect"
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// groupsOf groups runs in the order of verdicts: write, send, read and atomic operations, each with
// latency before bandwidth. Of the client's and the server's file of a run it keeps the client's.
// Runs keep their numbers in tables.
func groupsOf(runs []*result.File) []*rows.Group {
	numbers := map[*result.File]int{}
	for _, g := range rows.Groups(runs) {
		for i, f := range g.Runs {
			numbers[f] = g.Numbers[i]
		}
	}
	groups := rows.Groups(withoutCopies(runs))
	for _, g := range groups {
		for i, f := range g.Runs {
			g.Numbers[i] = numbers[f]
		}
	}
	ops := option.Ops()
	slices.SortStableFunc(groups, func(a, b *rows.Group) int {
		if a.Op != b.Op {
			return slices.Index(ops, a.Op) - slices.Index(ops, b.Op)
		}
		return kindRank(a) - kindRank(b)
	})
	return groups
}

func kindRank(g *rows.Group) int {
	return slices.Index([]option.Kind{option.KindLatency, option.KindBandwidth}, g.Kind)
}

// runsOf returns the runs of groups.
func runsOf(groups []*rows.Group) (runs []*result.File) {
	for _, g := range groups {
		runs = append(runs, g.Runs...)
	}
	return runs
}

// withoutCopies leaves out servers' files of runs whose client's file is present.
func withoutCopies(runs []*result.File) []*result.File {
	return slices.DeleteFunc(slices.Clone(runs), func(f *result.File) bool {
		return f.Role == "server" && slices.ContainsFunc(runs, func(o *result.File) bool { return o.Role == "client" && sameRun(f, o) })
	})
}

// sameRun reports whether two files are from the two sides of one run, which have the same rounds.
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
