package rows

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/result"
)

// variations lists the warnings about rounds that vary much. Their texts differ from row to row.
var variations = []result.WarningID{result.WarnTwoLevels, result.WarnUnsteady}

// NoteMarks explains the marks of [Entry.Marks] about rounds.
const NoteMarks = "=: the rounds of the row are at two levels; ~: they are unsteady. See the warnings."

// Marks returns what tables print after a value of the row: "!" if its data is unsafe, "=" if its
// rounds are at two levels, "~" if they are unsteady.
func (e Entry) Marks() string {
	marks := e.ForcedMark()
	if e.HasWarning(result.WarnTwoLevels) {
		marks += "="
	}
	if e.HasWarning(result.WarnUnsteady) {
		marks += "~"
	}
	return marks
}

// variationLines returns a line for each mode and warning about its rounds: "data, rounds at two
// levels: size 8: 0.065 usec (70 %) and 0.270 usec (30 %); size 64: ...".
func variationLines(f *result.File) []string {
	var heads []string
	figures := map[string][]string{} // by head
	for _, name := range result.NameOrder {
		for _, id := range variations {
			for i := range f.Rows {
				r := &f.Rows[i]
				at := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.ID == id })
				if r.Name() != name || at < 0 {
					continue
				}
				what, text, _ := strings.Cut(r.Warnings[at].Text, ": ")
				head := name + ", " + what
				if figures[head] == nil {
					heads = append(heads, head)
				}
				figures[head] = append(figures[head], "size "+units.Size(r.Size)+": "+text)
			}
		}
	}
	for i, head := range heads {
		heads[i] = head + ": " + strings.Join(figures[head], "; ")
	}
	return heads
}
