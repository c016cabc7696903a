package reports

import (
	"slices"

	"github.com/ibperf/ibperf/reports/result"
)

// A lineup is the rows of one message size, by name.
type lineup struct {
	run  int // -1 where the rows are of several runs
	size int
	rows map[string]Entry
}

// lineUp collects the rows of each size. Runs that each measured another mode
// on the same devices with the same parameters are laid together; others are
// kept apart.
func lineUp(g *Group) []*lineup {
	together := len(g.Runs) > 1 && comparable(g)
	type key struct{ run, size int }
	index := map[key]*lineup{}
	var lineups []*lineup
	for _, e := range g.Entries() {
		k := key{e.Run, e.Size}
		if together {
			k.run = -1
		}
		l := index[k]
		if l == nil {
			l = &lineup{run: k.run, size: k.size, rows: map[string]Entry{}}
			index[k] = l
			lineups = append(lineups, l)
		}
		l.rows[e.Name()] = e
	}
	return lineups
}

// comparable tells whether the rows of different runs may stand in one line.
func comparable(g *Group) bool {
	type key struct {
		size int
		name string
	}
	seen := map[key]bool{}
	for _, e := range g.Entries() {
		k := key{e.Size, e.Name()}
		if seen[k] || setting(e.File) != setting(g.Runs[0]) {
			return false
		}
		seen[k] = true
	}
	return true
}

// runSetting is what two runs must share for their numbers to be compared.
type runSetting struct {
	local, peer, device, peerDevice, role, transport, options string
}

func setting(f *result.File) runSetting {
	return runSetting{
		local: f.Local.Host, peer: f.Peer.Host, device: f.Local.Device.Name, peerDevice: f.Peer.Device.Name,
		role: f.Role, transport: string(f.Parameters.Transport), options: f.Parameters.Key(),
	}
}

// namesOf lists the names of all rows in the order of tables.
func namesOf(lineups []*lineup) []string {
	return slices.DeleteFunc(slices.Clone(result.NameOrder), func(name string) bool {
		return !slices.ContainsFunc(lineups, func(l *lineup) bool { return l.rows[name].Row != nil })
	})
}
