package verdict

import (
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// oneCPUName is the name of the rows of event with both threads on one CPU.
var oneCPUName = (&result.Row{Mode: option.ModeEvent, Variant: option.VariantSameCPU}).Name()

// oneCPUText compares event with both threads on one CPU to event with the threads apart, or returns "" if
// that was not measured: "event with both threads on one CPU takes 0.24-0.3 of its time apart (same L3)".
func (c cost) oneCPUText() string {
	var all phrase.Span
	var apart []string
	for _, s := range c.sweeps {
		for _, p := range s.points {
			e, event := p.Rows[oneCPUName], p.Row(option.ModeEvent)
			if e.Row == nil || event.Row == nil || rows.AnyDisturbed(e, event) {
				continue
			}
			if r := rows.EstimateOf(s.column, e, event); r.Enough {
				all.Add(r.Value)
				for _, d := range event.Distances {
					apart = phrase.AddNew(apart, printable.Clean(d))
				}
			}
		}
	}
	if all.N == 0 {
		return ""
	}
	text := "event with both threads on one CPU takes " + all.Text(twoDigits, "-") + " of its time with the threads apart"
	if len(apart) > 0 {
		text += " (" + strings.Join(apart, " or ") + ")"
	}
	return text
}

func twoDigits(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }
