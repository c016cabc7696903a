package plots

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/chart"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// rowTooltip returns the text under the pointer for a row: its main numbers and its ratio.
func (g *group) rowTooltip(s *series, e rows.Entry) string {
	lines := []string{g.rowPrefix(s, e) + numbers(e)}
	if r := g.ratioText(e); r != "" {
		lines = append(lines, r)
	}
	return strings.Join(append(lines, warningLines(e)...), "\n")
}

// ratioTooltip returns the text for the ratio of a row.
func (g *group) ratioTooltip(s *series, e rows.Entry) string {
	return strings.Join(append([]string{g.rowPrefix(s, e) + g.ratioText(e)}, warningLines(e)...), "\n")
}

// busyTooltip returns the text for how busy the cores were.
func (g *group) busyTooltip(s *series, e rows.Entry) string {
	lines := []string{g.rowPrefix(s, e) + numbers(e), fmt.Sprintf("core busy %s %% here, %s %% at the peer", percentText(e.Local.Busy), percentText(e.Peer.Busy))}
	return strings.Join(append(lines, warningLines(e)...), "\n")
}

// tailTooltip returns the text for the 99th percentile of a row.
func (g *group) tailTooltip(s *series, e rows.Entry) string {
	return g.rowPrefix(s, e) + tailText(e)
}

// rowPrefix names the row that the following numbers are from.
func (g *group) rowPrefix(s *series, e rows.Entry) string {
	return s.shortName + ", " + g.pointText(e) + ": "
}

// ratioText returns the ratio of a row, or "" if it has none.
func (g *group) ratioText(e rows.Entry) string {
	if r, ok := g.ratios[e.Row]; ok {
		return "ratio to " + r.To + " " + r.Text()
	}
	return ""
}

// numbers returns the main numbers of a row.
func numbers(e rows.Entry) string {
	if e.Latency != nil {
		v, _ := medianUsec(e)
		usec := func(v float64) string { return units.UsecText(1e3 * v) }
		return fmt.Sprintf("median %s usec%s, %s", usec(v.value), spanText(v, usec), tailText(e))
	}
	digits := func(v float64) string { return chart.Number(v, 4) }
	gbps, _ := roundGbps(e)
	mpps, _ := roundMpps(e)
	return fmt.Sprintf("%s Gb/s%s, %s Mpps", digits(gbps.value), spanText(gbps, digits), digits(mpps.value))
}

func tailText(e rows.Entry) string { return "99 % " + units.UsecText(e.Latency.P99Ns) + " usec" }

// spanText formats the interval of an estimate, or returns "" for an estimate without one.
func spanText(v estimate, number func(float64) string) string {
	if !v.hasInterval() {
		return ""
	}
	return " [" + number(v.low) + "-" + number(v.high) + "]"
}

func percentText(part float64) string { return chart.Number(100*units.Finite(part), 3) }

// warningLines returns lines about what disturbed a row and about the two levels of its rounds, and one
// with the ids of its other warnings.
// It leaves out few-samples, which is about percentiles that figures do not show.
func warningLines(e rows.Entry) (lines []string) {
	if words := rows.DisturbancesOf([]rows.Entry{e}); len(words) > 0 {
		lines = append(lines, "disturbed: "+strings.Join(words, ", "))
	}
	var ids []string
	for _, w := range e.Warnings {
		switch {
		case w.ID == result.WarnTwoLevels:
			lines = append(lines, printable.Clean(w.Text))
		case w.ID != result.WarnFewSamples && !rows.IsDisturbance(w.ID):
			ids = append(ids, printable.Clean(string(w.ID)))
		}
	}
	if len(ids) > 0 {
		lines = append(lines, "warning: "+phrase.Shorten(strings.Join(ids, ", "), 60))
	}
	return lines
}
