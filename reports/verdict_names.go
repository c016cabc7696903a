package reports

import (
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// naming tells what the names of tests have: devices if there are several, connections if
// any is not plain RC.
type naming struct{ devices, connections bool }

func namingOf(runs []*result.File) naming {
	var devices, connections []string
	for _, f := range runs {
		devices = addNew(devices, devicesOf(f))
		connections = addNew(connections, Connection(f))
	}
	return naming{len(devices) > 1, !slices.Equal(connections, []string{string(option.RC)})}
}

// of is what follows the name of a run's test: " over UC on mlx5_0".
func (n naming) of(f *result.File) string {
	text := n.connection(f)
	if n.devices {
		text += " on " + devicesOf(f)
	}
	return text
}

// connection is the part of it that a promise has, which is of one device.
func (n naming) connection(f *result.File) string {
	if n.connections {
		return " over " + Clean(Connection(f))
	}
	return ""
}

// Connection is what the QPs of a run are connected by, and whether they share a receive queue:
// "RC with SRQ". XRC always has one.
func Connection(f *result.File) string {
	text := string(f.Parameters.Transport)
	if f.Parameters.UseSRQ && f.Parameters.Transport != option.XRC {
		text += " with SRQ"
	}
	return text
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

// setting is what follows the name of a run's test where the run is of no sweep: what tells it
// apart, and what it has beside one QP without pauses.
func (n naming) setting(f *result.File) string {
	text := n.of(f)
	if f.Parameters.QPs > 1 {
		text += " over " + strconv.Itoa(f.Parameters.QPs) + " QPs"
	}
	if f.Parameters.Gap > 0 {
		text += " with pauses of " + pauseText(int(f.Parameters.Gap))
	}
	return text
}

// runName names a run of a group by its test and setting, and by its number where others
// have the same.
func (n naming) runName(g *Group, run int) string {
	f := g.Runs[run]
	name := testName(g.Op, g.Kind) + n.setting(f)
	if g.Along != NoAxis && f.Parameters.QPs == 1 && f.Parameters.Gap == 0 {
		name += " over 1 QP without pauses"
	}
	if g.Verify {
		name += " with --verify"
	}
	alike := func(o *result.File) bool { return o != f && n.setting(o) == n.setting(f) }
	if slices.ContainsFunc(g.Runs, alike) {
		name += " " + g.Label(run)
	}
	return name
}
