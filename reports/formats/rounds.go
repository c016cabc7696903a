package formats

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/result"
)

// A Labelled run has a name that distinguishes it from others.
type Labelled struct {
	*result.File
	Label string
}

// WriteRounds writes a CSV table with a line for each round of each row: the run, the row, the figures of
// the round, and every option of the run. Figures that were not measured are empty.
func WriteRounds(w io.Writer, runs []Labelled) error {
	out := csv.NewWriter(w)
	head, err := roundLines(Labelled{File: &result.File{Rows: []result.Row{{Rounds: make([]result.Round, 1)}}}})
	if err != nil {
		return err
	}
	_ = out.Write(each(head[0], cell.head)) // Flush returns its error
	for _, run := range runs {
		lines, err := roundLines(run)
		if err != nil {
			return err
		}
		for _, line := range lines {
			_ = out.Write(each(line, cell.csv))
		}
	}
	out.Flush()
	return out.Error()
}

// roundLines returns a line for each round of a run.
func roundLines(run Labelled) (lines [][]cell, err error) {
	first := []cell{{"label", run.Label}, {"test", string(run.Op) + "_" + string(run.Kind)}}
	for _, c := range append(csvRun[1:5:5], origin...) {
		first = append(first, cell{c.name, c.value(run.File)})
	}
	plan, err := parameters(&run.Parameters.Plan)
	if err != nil {
		return nil, err
	}
	for i := range plan {
		plan[i].name = parameterPath + plan[i].name
	}
	for i := range run.Rows {
		r := &run.Rows[i]
		numbers := map[int]int{} // of the last round, by run
		for j := range r.Rounds {
			round := &r.Rounds[j]
			numbers[round.Run]++
			figures, err := roundCells(round, numbers[round.Run])
			if err != nil {
				return nil, err
			}
			lines = append(lines, slices.Concat(first, rowCells(r), figures, plan))
		}
	}
	return lines, nil
}

// rowCells returns the cells that the rounds of a row have in common.
func rowCells(r *result.Row) []cell {
	return []cell{
		{"size_bytes", strconv.Itoa(r.Size)}, {"mode", string(r.Mode)}, {"variant", string(r.Variant)}, {"opcode", r.Opcode},
		{"warnings", warningIDs(r.Warnings)},
	}
}

// roundCells returns the cells of a round with its number within the run: the fields of a round in the
// result file, and the message rate.
func roundCells(r *result.Round, number int) ([]cell, error) {
	fields, err := membersOf(r)
	if err != nil {
		return nil, err
	}
	var all []cell
	for _, c := range result.Columns() {
		if name, ofRound := strings.CutPrefix(c.Field, "rounds."); ofRound {
			all = append(all, cell{name, member(fields, name)})
		}
		if c.Field == "rounds.run" {
			all = append(all, cell{"round", strconv.Itoa(number)})
		}
	}
	rate := ""
	if r.Seconds > 0 {
		rate = strconv.FormatFloat(float64(r.Messages)/r.Seconds, 'f', -1, 64)
	}
	return append(all, cell{"messages_per_s", rate}), nil
}
