package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

func newRun(label string, f *result.File) page.Run {
	v := page.Run{
		Label:    label,
		Line:     runLine(f),
		Command:  Clean(strings.Join(f.Command, " ")),
		Software: Clean(SoftwareLabel(f)),
		Settings: settings(f),
		Heads:    [2]string{"this side", "peer"},
	}
	here, peer := sideFacts(f.Local), sideFacts(f.Peer)
	for i := range here {
		if here[i][1] != "" || peer[i][1] != "" {
			v.Facts = append(v.Facts, [3]string{here[i][0], Clean(here[i][1]), Clean(peer[i][1])})
		}
	}
	return v
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
		{"Connection type", f.Parameters.Transport},
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
