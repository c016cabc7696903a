package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
)

// Ranks have one device, or several: rails. The nodes of a document are the devices of all ranks, so that node
// rank*Rails + rail is a device. Tests have nodes of one rail.

// Nodes returns the number of nodes.
func (s *Settings) Nodes() int { return s.Ranks * s.Rails }

// Place returns the rank of a node, or of one of several devices RANK.RAIL.
func (s *Settings) Place(node int) string {
	if s.Rails == 1 {
		return fmt.Sprint(node)
	}
	return fmt.Sprintf("%d.%d", node/s.Rails, node%s.Rails)
}

// devicesText returns the number of devices of a rank in words.
func (s *Settings) devicesText() string {
	if s.Rails == 1 {
		return "a device"
	}
	return fmt.Sprintf("%d devices", s.Rails)
}

// Name returns how a node is called in sentences.
func (d *Document) Name(node int) string {
	n, name := &d.Nodes[node], "rank "+d.Settings.Place(node)
	words := n.Name
	if d.Settings.Rails > 1 {
		words += " " + n.Device
	}
	if words = strings.TrimSpace(words); words != "" {
		name += " (" + words + ")"
	}
	return name
}

// MedianOf returns the median of the tests of a rail.
func (f *Figure) MedianOf(rail int) float64 {
	if f.Rails == nil {
		return f.Median
	}
	return f.Rails[rail]
}

// relative returns a test's bandwidth over the median of its rail.
func (d *Document) relative(t Test) float64 {
	i := slices.IndexFunc(d.Figures, func(f Figure) bool { return f.Name == Bandwidth })
	return t.Bandwidth / d.Figures[i].MedianOf(t.A%d.Settings.Rails)
}

// railsText returns a line about each of several rails: a rail that is slow as a whole has good devices.
func (d *Document) railsText() string {
	if d.Settings.Rails == 1 {
		return ""
	}
	var b strings.Builder
	for rail := range d.Settings.Rails {
		fmt.Fprintf(&b, "rail %d (%s):", rail, strings.Join(d.railDevices(rail), ", "))
		for _, f := range d.Figures {
			switch {
			case f.Name == Bandwidth && f.Rails[rail] > 0:
				fmt.Fprintf(&b, " median bandwidth %s Gb/s", strings.TrimSpace(units.RateText(f.Rails[rail], true)))
			case f.Name == Latency && f.Rails[rail] > 0:
				fmt.Fprintf(&b, ", latency %s usec", strings.TrimSpace(units.UsecText(f.Rails[rail])))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// railDevices returns the names of the devices of a rail.
func (d *Document) railDevices(rail int) (names []string) {
	for i := rail; i < len(d.Nodes); i += d.Settings.Rails {
		if name := d.Nodes[i].Device; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
