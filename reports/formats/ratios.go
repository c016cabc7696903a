package formats

import (
	"strconv"

	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A ratio compares a row with another, as tables do.
type ratio struct {
	Of       string  `json:"of"` // the field: "latency.p50_ns"
	To       string  `json:"to"` // name of the other row
	Value    float64 `json:"value"`
	Low      float64 `json:"low"` // of the 95 % interval
	High     float64 `json:"high"`
	Relation string  `json:"relation"`       // faster, slower, same or unclear
	Note     string  `json:"note,omitempty"` // noteDisturbed or noteIsland
}

// The reasons why a relation is unclear although the interval may tell more.
const (
	noteDisturbed = "disturbed" // a warning of one of the two rows makes the ratio doubtful
	noteIsland    = "island"    // the row is faster only here, beyond the change point
)

// ratiosOf returns the ratios of files that are shown together, by row.
func ratiosOf(files []*result.File) map[*result.Row]*ratio {
	all := map[*result.Row]*ratio{}
	for _, g := range rows.Groups(files) {
		for row, r := range g.Ratios() {
			cell := &ratio{Of: g.ComparedFields()[0], To: r.To, Value: r.Value, Low: r.Low, High: r.High, Relation: r.Relation.String()}
			switch {
			case r.Disturbed:
				cell.Note = noteDisturbed
			case r.Island:
				cell.Note = noteIsland
			}
			all[row] = cell
		}
	}
	return all
}

// cells returns the columns of a ratio, which are empty for a row that has none.
func (r *ratio) cells() []cell {
	all := []cell{{"ratio", ""}, {"ratio_low", ""}, {"ratio_high", ""}, {"relation", ""}, {"ratio_of", ""}, {"ratio_to", ""}, {"ratio_note", ""}}
	if r != nil {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		for i, text := range []string{number(r.Value), number(r.Low), number(r.High), r.Relation, r.Of, r.To, r.Note} {
			all[i].text = text
		}
	}
	return all
}
