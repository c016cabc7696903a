package rows

import (
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Point is the rows of one message size of a run, one for each completion mode and variant.
type Point struct {
	Run  int // index into Group.Runs; -1 for a joint point of several runs
	Size int
	Rows map[string]Entry
}

// Row returns the row of a mode without a variant.
func (p *Point) Row(mode option.Mode) Entry { return p.Rows[string(mode)] }

// Points returns the points of the group. If each run measured another mode on the same devices with
// the same parameters, their rows form joint points.
func (g *Group) Points() []*Point {
	together := len(g.Runs) > 1 && joinable(g)
	type key struct{ run, size int }
	index := map[key]*Point{}
	var points []*Point
	for _, e := range g.Entries() {
		k := key{e.Run, e.Size}
		if together {
			k.run = -1
		}
		p := index[k]
		if p == nil {
			p = &Point{Run: k.run, Size: k.size, Rows: map[string]Entry{}}
			index[k] = p
			points = append(points, p)
		}
		p.Rows[e.Name()] = e
	}
	return points
}

// joinable reports whether rows of different runs form joint points.
func joinable(g *Group) bool {
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

// runSetting holds what two runs must have in common for their rows to be compared.
type runSetting struct {
	local, peer, device, peerDevice, role, transport, options string
}

func setting(f *result.File) runSetting {
	return runSetting{
		local: f.Local.Host, peer: f.Peer.Host, device: f.Local.Device.Name, peerDevice: f.Peer.Device.Name,
		role: f.Role, transport: string(f.Parameters.Transport), options: f.Parameters.Key(),
	}
}

// Names returns the names of the rows of points, in the order of tables, without controls.
func Names(points []*Point) []string {
	return slices.DeleteFunc(slices.Clone(result.NameOrder), func(name string) bool {
		return !slices.ContainsFunc(points, func(p *Point) bool {
			r := p.Rows[name].Row
			return r != nil && r.Variant != option.VariantControl
		})
	})
}

// BaseName returns the name of the rows that rows of a name are compared with.
func BaseName(points []*Point, name string) string {
	for _, p := range points {
		if e := p.Rows[name]; e.Row != nil {
			return e.Base()
		}
	}
	return ""
}

// Label returns the label of the point's run, or "" for a joint point.
func (p *Point) Label(g *Group) string {
	if p.Run < 0 {
		return ""
	}
	return g.Label(p.Run)
}
