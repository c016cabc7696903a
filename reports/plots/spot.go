package plots

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
)

// spotText is what is shown to whoever points at a row of a series: its main numbers, and
// its ratio.
func (g *group) spotText(s *series, e reports.Entry) string {
	lines := []string{g.about(s, e) + numbers(e)}
	if r := g.ratioText(e); r != "" {
		lines = append(lines, r)
	}
	return strings.Join(append(lines, doubtful(e)...), "\n")
}

// ratioSpot is what is shown of a row's ratio.
func (g *group) ratioSpot(s *series, e reports.Entry) string {
	return strings.Join(append([]string{g.about(s, e) + g.ratioText(e)}, doubtful(e)...), "\n")
}

// busySpot is what is shown of how busy the cores of a row were.
func (g *group) busySpot(s *series, e reports.Entry) string {
	lines := []string{g.about(s, e) + numbers(e), fmt.Sprintf("core busy %s %% here, %s %% at the peer", percentText(e.Local.Busy), percentText(e.Peer.Busy))}
	return strings.Join(append(lines, doubtful(e)...), "\n")
}

// tailSpot is what is shown of the 99 % of a row.
func (g *group) tailSpot(s *series, e reports.Entry) string {
	return g.about(s, e) + tailText(e)
}

// about says whose the numbers behind it are.
func (g *group) about(s *series, e reports.Entry) string { return s.who + ", " + g.place(e) + ": " }

// ratioText is the ratio of a row, empty if it has none.
func (g *group) ratioText(e reports.Entry) string {
	if r, ok := g.ratios[e.Row]; ok {
		return "ratio to " + r.To + " " + r.Text()
	}
	return ""
}

// numbers are the main numbers of a row.
func numbers(e reports.Entry) string {
	if e.Latency != nil {
		v, _ := medianUsec(e)
		usec := func(v float64) string { return units.UsecText(1e3 * v) }
		return fmt.Sprintf("median %s usec%s, %s", usec(v.value), spanText(v, usec), tailText(e))
	}
	digits := func(v float64) string { return sketch.Number(v, 4) }
	gbps, _ := roundGbps(e)
	mpps, _ := roundMpps(e)
	return fmt.Sprintf("%s Gb/s%s, %s Mpps", digits(gbps.value), spanText(gbps, digits), digits(mpps.value))
}

func tailText(e reports.Entry) string { return "99 % " + units.UsecText(e.Latency.P99Ns) + " usec" }

// spanText is the interval of an estimate, empty if there is none.
func spanText(v estimate, number func(float64) string) string {
	if !v.known() {
		return ""
	}
	return " [" + number(v.low) + "-" + number(v.high) + "]"
}

func percentText(part float64) string { return sketch.Number(100*units.Finite(part), 3) }

// doubtful is a line that names the warnings of a row, if it has any.
func doubtful(e reports.Entry) []string {
	if ids := doubts(e); len(ids) > 0 {
		return []string{"doubtful: " + reports.Shorten(strings.Join(ids, ", "), 60)}
	}
	return nil
}

// doubts lists the warnings of a row, but for those about percentiles beyond 99 %.
func doubts(e reports.Entry) []string {
	var ids []string
	for _, w := range e.Warnings {
		if w.ID != "few-samples" {
			ids = append(ids, reports.Clean(w.ID))
		}
	}
	return ids
}
