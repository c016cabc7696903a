package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

// shared is what all runs of a page have in common and what is said once for that.
type shared struct {
	software string
	warnings []string
	facts    page.Facts
}

// commonTo compares runs. Warnings and facts stay in the section where there is but one.
func commonTo(runs []*result.File, sections int) shared {
	s := shared{facts: page.Facts{Heads: sideHeads}}
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
	for _, w := range notices(first) {
		if !slices.ContainsFunc(runs, func(f *result.File) bool { return !quietlyWarnsOf(f, w.Text) }) {
			s.warnings = addNew(s.warnings, Clean(w.Text))
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
	return slices.ContainsFunc(notices(f), func(w result.Warning) bool {
		return w.Text == text && !slices.Contains(alarming, w.ID)
	})
}

// sideHeads are those of facts about the two sides.
var sideHeads = [2]string{"this side", "peer"}

// newRuns describes the runs of a group, and lists the settings that all of them have.
func newRuns(g *Group, common shared) (runs []page.Run, alike [][]string) {
	for i, f := range g.Runs {
		v := page.Run{
			Label:    g.Label(i),
			Line:     runLine(f),
			Command:  Clean(strings.Join(f.Command, " ")),
			Facts:    page.Facts{Heads: sideHeads},
			Settings: settings(f),
		}
		if g.Along != NoAxis {
			v.Label = g.runNames([]string{v.Label})
		}
		if text := softwareText(f); text != common.software {
			v.Software = text
		}
		v.Facts.Rows = slices.DeleteFunc(runFacts(f), func(fact [3]string) bool { return slices.Contains(common.facts.Rows, fact) })
		runs = append(runs, v)
	}
	alike = slices.DeleteFunc(slices.Clone(runs[0].Settings), func(s []string) bool {
		return slices.ContainsFunc(runs, func(v page.Run) bool { return !hasSetting(v, s) })
	})
	for i := range runs {
		runs[i].Settings = slices.DeleteFunc(runs[i].Settings, func(s []string) bool { return hasSetting(page.Run{Settings: alike}, s) })
	}
	return runs, alike
}

// manyRuns are so many that their lines would push all else away.
const manyRuns = 4

// runsTitle sums up the lines of runs that differ in little, or are many.
func runsTitle(g *Group) string {
	switch n := len(g.Runs); {
	case g.Along != NoAxis:
		var labels []string
		for i := range g.Runs {
			labels = append(labels, g.Label(i))
		}
		return fmt.Sprintf("%d runs: %s", n, g.runNames(labels))
	case n > manyRuns:
		return fmt.Sprintf("%d runs", n)
	}
	return ""
}

func hasSetting(v page.Run, setting []string) bool {
	return slices.ContainsFunc(v.Settings, func(s []string) bool { return slices.Equal(s, setting) })
}

// softwareText names what stands in for hardware, empty if nothing does.
func softwareText(f *result.File) string {
	if label := SoftwareLabel(f); label != "" {
		return "software device: " + Clean(label)
	}
	return ""
}

// runFacts lists the environment of both sides.
func runFacts(f *result.File) (rows [][3]string) {
	here, peer := sideFacts(f.Local), sideFacts(f.Peer)
	for i := range here {
		if here[i][1] != "" || peer[i][1] != "" {
			rows = append(rows, [3]string{here[i][0], Clean(here[i][1]), Clean(peer[i][1])})
		}
	}
	return rows
}

// sideFacts lists the environment of a side: always the same names.
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
		{"data in order?", answer(s.Order)},
		{"asked by", s.Order.Query},
		{"firmware", d.Firmware},
		{"link layer", d.LinkLayer},
		{"GID", fmt.Sprintf("%s (index %d)", d.GID, d.GIDIndex)},
		{"CPU", fmt.Sprintf("%s, %d logical", s.CPU, s.CPUs)},
		{"governor", s.Governor},
		{"clock", clockText(s)},
		{"kernel", s.Kernel},
		{"libraries", strings.Join(libraries, ", ")},
	}
}

// clockText names the clock of a side and what reading it costs, if that is known.
func clockText(s result.Side) string {
	if s.ClockNs == 0 {
		return ""
	}
	text := fmt.Sprintf("%.0f ns a reading", s.ClockNs)
	if s.ClockStepNs > 0 {
		text += fmt.Sprintf(", steps of %.0f ns", s.ClockStepNs)
	}
	if s.Clock == "" { // a file of an old release
		return text
	}
	return s.Clock + ", " + text
}

// settings lists the parameters of a run.
func settings(f *result.File) [][]string {
	list := [][]string{
		{"Connection type", string(f.Parameters.Transport)},
		{"Modes that ran", strings.Join(f.Parameters.Modes, ", ")},
	}
	for _, s := range f.Parameters.Settings() {
		list = append(list, []string{s.Option.Label, s.Text})
	}
	list = append(list, []string{"Started", f.Started.UTC().Format("2006-01-02 15:04:05 UTC")}, []string{"ibperf", f.Release})
	for i := range list {
		list[i][1] = Clean(list[i][1])
	}
	return list
}
