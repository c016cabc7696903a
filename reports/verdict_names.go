package reports

import (
	"slices"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
)

// naming tells in what runs differ that the names of tests have to tell apart.
type naming struct{ devices, transports bool }

func namingOf(runs []*result.File) naming {
	var devices, transports []string
	for _, f := range runs {
		devices = addNew(devices, devicesOf(f))
		transports = addNew(transports, f.Parameters.Transport)
	}
	return naming{len(devices) > 1, len(transports) > 1}
}

// of is what follows the name of a run's test: " over UC on mlx5_0".
func (n naming) of(f *result.File) string {
	text := n.transport(f)
	if n.devices {
		text += " on " + devicesOf(f)
	}
	return text
}

// transport is the part of it that a promise has, which is of one device.
func (n naming) transport(f *result.File) string {
	if n.transports {
		return " over " + Clean(f.Parameters.Transport)
	}
	return ""
}

// devicesOf names the devices of a run, one if both sides have the same.
func devicesOf(f *result.File) string {
	return joined(addNew([]string{Clean(f.Local.Device.Name)}, Clean(f.Peer.Device.Name)))
}

// testName is a test in a sentence.
func testName(op, kind string) string {
	if kind == result.KindLatency {
		return Clean(op) + " latency"
	}
	return Clean(op) + " bandwidth"
}

// runName names a run of a group by its test, what tells it apart from runs of other groups,
// and its number where that does not.
func (n naming) runName(g *Group, run int) string {
	f := g.Runs[run]
	name := testName(g.Op, g.Kind) + n.of(f)
	if g.Verify {
		name += " with --verify"
	}
	alike := func(o *result.File) bool { return o != f && n.of(o) == n.of(f) }
	switch l := g.Label(run); {
	case g.Along == AlongQPs:
		return name + " over " + l + " QPs"
	case g.Along == AlongGap:
		return name + " with pauses of " + pauseText(int(f.Parameters.Gap))
	case slices.ContainsFunc(g.Runs, alike):
		return name + " " + l
	}
	return name
}

// subjectName names what a subject is about.
func (f *findings) subjectName(g *Group, l *lineup) string {
	switch {
	case g.Along != NoAxis:
		return testName(g.Op, g.Kind) + f.names.of(g.Runs[0]) + ", " + units.Size(l.size) + " bytes"
	case l.run < 0:
		return testName(g.Op, g.Kind) + f.names.of(g.Runs[0])
	}
	return f.names.runName(g, l.run)
}
