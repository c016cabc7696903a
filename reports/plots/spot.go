package plots

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots/sketch"
)

// spotText is what is shown to whoever points at a row of a series: its numbers, with
// their intervals.
func (g *group) spotText(s *series, e reports.Entry) string {
	lines := []string{g.numbersText(s, e)}
	if r, ok := g.ratios[e.Row]; ok {
		lines = append(lines, "ratio to "+r.To+" "+reports.RatioText(r.Ratio))
	}
	if e.Local.Busy > 0 {
		lines = append(lines, fmt.Sprintf("core busy %s %% here, %s %% at the peer", percentText(e.Local.Busy), percentText(e.Peer.Busy)))
	}
	if ids := doubts(e); len(ids) > 0 {
		lines = append(lines, "doubtful: "+reports.Shorten(strings.Join(ids, ", "), 60))
	}
	return strings.Join(lines, "\n")
}

// numbersText says whose the main numbers of a row are.
func (g *group) numbersText(s *series, e reports.Entry) string {
	return s.who + ", " + g.place(e) + ": " + numbers(e)
}

// numbers are the main numbers of a row.
func numbers(e reports.Entry) string {
	if l := e.Latency; l != nil {
		v, _ := medianUsec(e)
		usec := func(v float64) string { return units.UsecText(1e3 * v) }
		return fmt.Sprintf("median %s usec%s, 99 %% %s usec", usec(v.value), spanText(v, usec), units.UsecText(l.P99Ns))
	}
	digits := func(v float64) string { return sketch.Number(v, 4) }
	gbps, _ := roundGbps(e)
	mpps, _ := roundMpps(e)
	text := fmt.Sprintf("%s Gb/s%s, %s Mpps%s", digits(gbps.value), spanText(gbps, digits), digits(mpps.value), spanText(mpps, digits))
	if gbps.known() {
		text += fmt.Sprintf(" in the median round\naverage %s Gb/s, %s Mpps", digits(units.Gbps(e.Bandwidth.Average)), digits(units.Mpps(e.Bandwidth.MsgRate)))
	}
	return text
}

// spanText is the interval of an estimate, empty if there is none.
func spanText(v estimate, number func(float64) string) string {
	if !v.known() {
		return ""
	}
	return " [" + number(v.low) + "-" + number(v.high) + "]"
}

func percentText(part float64) string { return sketch.Number(100*units.Finite(part), 3) }

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
