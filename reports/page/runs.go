package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// shared holds what all runs of a page have in common, which the page shows once.
type shared struct {
	software string
	warnings []string
	facts    Facts
}

// commonTo returns what runs have in common. Warnings and facts stay in the section if it is the
// only one.
func commonTo(runs []*result.File, sections int) shared {
	s := shared{facts: Facts{Heads: sideHeads}}
	if len(runs) == 0 {
		return s
	}
	first := runs[0]
	if s.software = softwareText(first); slices.ContainsFunc(runs, func(f *result.File) bool { return softwareText(f) != s.software }) {
		s.software = ""
	}
	if sections < 2 {
		return s
	}
	for _, w := range rows.Notices(first) {
		if !slices.ContainsFunc(runs, func(f *result.File) bool { return !quietlyWarnsOf(f, w.Text) }) {
			s.warnings = phrase.AddNew(s.warnings, printable.Clean(w.Text))
		}
	}
	s.facts.Rows = runFacts(first)
	for _, f := range runs {
		theirs := runFacts(f)
		s.facts.Rows = slices.DeleteFunc(s.facts.Rows, func(fact [3]string) bool { return !slices.Contains(theirs, fact) })
	}
	return s
}

func quietlyWarnsOf(f *result.File, text string) bool {
	return slices.ContainsFunc(rows.Notices(f), func(w result.Warning) bool {
		return w.Text == text && !slices.Contains(rows.Alarming, w.ID)
	})
}

// sideHeads are the heads of facts about the two sides.
var sideHeads = [2]string{"this side", "peer"}

// newRuns describes the runs of a group, and returns the settings that all of them have.
func newRuns(g *rows.Group, common shared) (runs []Run, alike [][]string) {
	for i, f := range g.Runs {
		v := Run{
			Label:    g.Label(i),
			Line:     rows.RunLine(f),
			Command:  printable.Clean(strings.Join(f.Command, " ")),
			Repeat:   commandOf(f),
			Facts:    Facts{Heads: sideHeads},
			Settings: settings(f),
		}
		if g.Along != rows.NoAxis {
			v.Label = g.RunNames([]string{v.Label})
		}
		if text := softwareText(f); text != common.software {
			v.Software = text
		}
		v.Facts.Rows = slices.DeleteFunc(runFacts(f), func(fact [3]string) bool { return slices.Contains(common.facts.Rows, fact) })
		runs = append(runs, v)
	}
	alike = slices.DeleteFunc(slices.Clone(runs[0].Settings), func(s []string) bool {
		return slices.ContainsFunc(runs, func(v Run) bool { return !hasSetting(v, s) })
	})
	for i := range runs {
		runs[i].Settings = slices.DeleteFunc(runs[i].Settings, func(s []string) bool { return hasSetting(Run{Settings: alike}, s) })
	}
	return runs, alike
}

// manyRuns is the largest number of runs that a section lists in view.
const manyRuns = 4

// runsTitle returns the title that runs are folded under, or "" if they stay in view.
func runsTitle(g *rows.Group) string {
	switch n := len(g.Runs); {
	case g.Along != rows.NoAxis:
		var labels []string
		for i := range g.Runs {
			labels = append(labels, g.Label(i))
		}
		return fmt.Sprintf("%d runs: %s", n, g.RunNames(labels))
	case n > manyRuns:
		return fmt.Sprintf("%d runs", n)
	}
	return ""
}

func hasSetting(v Run, setting []string) bool {
	return slices.ContainsFunc(v.Settings, func(s []string) bool { return slices.Equal(s, setting) })
}

// softwareText names what replaces hardware, or returns "".
func softwareText(f *result.File) string {
	if label := rows.SoftwareLabel(f); label != "" {
		return "software device: " + printable.Clean(label)
	}
	return ""
}

// runFacts lists the environment of both sides.
func runFacts(f *result.File) (rows [][3]string) {
	here, peer := sideFacts(f.Local), sideFacts(f.Peer)
	for i := range here {
		if here[i][1] != "" || peer[i][1] != "" {
			rows = append(rows, [3]string{here[i][0], printable.Clean(here[i][1]), printable.Clean(peer[i][1])})
		}
	}
	return rows
}

// sideFacts lists the environment of a side, always with the same names.
func sideFacts(s result.Side) [][2]string {
	var libraries []string
	for _, name := range slices.Sorted(maps.Keys(s.Libraries)) {
		libraries = append(libraries, name+" "+s.Libraries[name])
	}
	d := s.Device
	return [][2]string{
		{"host", s.Host},
		{"device", fmt.Sprintf("%s port %d", d.Name, d.Port)},
		{"software device", d.Software},
		{"data in order?", rows.OrderAnswers(s.Order)},
		{"asked by", s.Order.Query},
		{"firmware", d.Firmware},
		{"calls into C", d.CallPath},
		{"link layer", d.LinkLayer},
		{"GID", fmt.Sprintf("%s (index %d)", d.GID, d.GIDIndex)},
		{"CPU", fmt.Sprintf("%s, %d logical", s.CPU, s.CPUs)},
		{"governor", s.Governor},
		{"idle states", rows.IdleText(s.Idle)},
		{"NUMA nodes", rows.NUMAText(s.NUMA)},
		{"clock", rows.ClockText(s)},
		{"kernel", s.Kernel},
		{"libraries", strings.Join(libraries, ", ")},
	}
}

// settings lists the parameters of a run.
func settings(f *result.File) [][]string {
	list := [][]string{
		{"Connection type", string(f.Parameters.Transport)},
		{"Modes that ran", rows.JoinModes(f.Parameters.Modes)},
	}
	for _, s := range f.Parameters.Settings() {
		list = append(list, []string{s.Option.Label, s.Text})
	}
	list = append(list, []string{"Started", f.Started.UTC().Format("2006-01-02 15:04:05 UTC")}, []string{"ibperf", f.Release})
	for i := range list {
		list[i][1] = printable.Clean(list[i][1])
	}
	return list
}
