package verdict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// naming says what the names of tests contain: devices if there are several, connections if any is
// not RC.
type naming struct{ devices, connections bool }

func namingOf(runs []*result.File) naming {
	var devices, connections []string
	for _, f := range runs {
		devices = phrase.AddNew(devices, devicesOf(f))
		connections = phrase.AddNew(connections, rows.Connection(f))
	}
	return naming{len(devices) > 1, !slices.Equal(connections, []string{string(option.RC)})}
}

// suffix returns the suffix of the name of a run's test: " over UC on mlx5_0".
func (n naming) suffix(f *result.File) string {
	text := n.connection(f)
	if n.devices {
		text += " on " + devicesOf(f)
	}
	return text
}

// connection returns the part of the suffix about the connection.
func (n naming) connection(f *result.File) string {
	if n.connections {
		return " over " + printable.Clean(rows.Connection(f))
	}
	return ""
}

// devicesOf returns the devices of a run, one name if both sides have the same.
func devicesOf(f *result.File) string {
	return phrase.List(phrase.AddNew([]string{printable.Clean(f.Local.Device.Name)}, printable.Clean(f.Peer.Device.Name)))
}

// testName returns the name of a test in a sentence.
func testName(op option.Op, kind option.Kind) string {
	if kind == option.KindLatency {
		return printable.Clean(string(op)) + " latency"
	}
	return printable.Clean(string(op)) + " bandwidth"
}

// setting returns the suffix of the name of a run that is not in a sweep along QPs or pauses, with its number of QPs and its
// pause.
func (n naming) setting(f *result.File) string {
	text := n.suffix(f)
	if f.Parameters.QPs > 1 {
		text += " over " + strconv.Itoa(f.Parameters.QPs) + " QPs"
	}
	if f.Parameters.Threads > 1 {
		text += " with " + strconv.Itoa(f.Parameters.Threads) + " threads"
	}
	if f.Parameters.Gap > 0 {
		text += " with pauses of " + pauseText(int(f.Parameters.Gap))
	}
	return text
}

// runName returns the test and setting of a run, with its number if other runs have the same
// setting.
func (n naming) runName(g *rows.Group, run int) string {
	f := g.Runs[run]
	name := testName(g.Op, g.Kind) + n.setting(f)
	if g.Along != rows.NoAxis && f.Parameters.QPs == 1 && f.Parameters.Gap == 0 {
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

// joinTestNames joins names of tests and writes common parts once: "write and send latency", "read
// latency and bandwidth".
func joinTestNames(names []string) string {
	op, kind, plain := strings.Cut(names[0], " ")
	var ops, kinds []string
	for _, name := range names {
		o, k, cut := strings.Cut(name, " ")
		plain = plain && cut && !strings.Contains(k, " ")
		ops, kinds = phrase.AddNew(ops, o), phrase.AddNew(kinds, k)
	}
	switch {
	case plain && len(kinds) == 1:
		return phrase.List(ops) + " " + kind
	case plain && len(ops) == 1:
		return op + " " + phrase.List(kinds)
	}
	var each []string
	for _, name := range names {
		if test, at, cut := strings.Cut(name, ", "); cut && len(names) > 1 {
			name = test + " (" + at + ")" // a comma would separate items of the list
		}
		each = phrase.AddNew(each, name)
	}
	return phrase.List(each)
}
