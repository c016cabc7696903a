package verdict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// maxLabel is the maximum width of the labels of the table of values.
const maxLabel = 28

// A valueColumn is a column of the table of values.
type valueColumn struct {
	head  string
	cells []string
	left  bool        // aligned to the left
	mode  option.Mode // of values; empty for other columns
	rates bool
	ratio bool // a column has the ratios of these values to poll's
}

func (c *valueColumn) width() int {
	w := width(c.head)
	for _, cell := range c.cells {
		w = max(w, width(cell))
	}
	return w
}

// valueLines returns the table of the operations' values, with at most room lines.
func valueLines(all []Operation, room int) []Line {
	if len(all) == 0 || room < 2 {
		return nil
	}
	more := 0
	if len(all)+1 > room {
		more = len(all) - (room - 2)
		all = all[:room-2]
	}
	size := 0
	if len(all) > 0 {
		size = all[0].size()
	}
	var labels []string
	labelled := labelWidth
	for _, o := range all {
		label := opLabel(o.Op, o.Where)
		if o.size() != size {
			label += " " + units.Size(o.size()) + " B"
		}
		labels = append(labels, fits(maxLabel, label))
		labelled = max(labelled, width(labels[len(labels)-1])+1)
	}
	unit, columns := columnsOf(all)
	head := units.Size(size) + " B " + unit
	labelled = max(labelled, width(head)+1)
	columns = narrowed(columns, MaxWidth-labelled)
	lines := []Line{valueLine(head, labelled, columns, -1)}
	for i, label := range labels {
		lines = append(lines, valueLine(label, labelled, columns, i))
	}
	if more > 0 {
		lines = append(lines, Line{About: "values", Text: strings.Repeat(" ", labelled) + "and " + strconv.Itoa(more) + " more, see --details"})
	}
	return lines
}

// valueLine returns a line of the table: the heads, or the cells of an operation.
func valueLine(label string, labelled int, columns []*valueColumn, at int) Line {
	var text strings.Builder
	text.WriteString(strings.Repeat(" ", labelled-max(labelWidth, width(label)+1)))
	for _, c := range columns {
		cell := c.head
		if at >= 0 {
			cell = c.cells[at]
		}
		blank := strings.Repeat(" ", c.width()-width(cell))
		if c.left {
			text.WriteString(" " + cell + blank)
		} else {
			text.WriteString(" " + blank + cell)
		}
	}
	return Line{About: "values", Label: label, Text: fits(MaxWidth-max(labelWidth, width(label)+1), strings.TrimRight(text.String(), " "))}
}

// size returns the message size of an operation's figures.
func (o *Operation) size() int {
	if o.Latency != nil {
		return o.Latency.Size
	}
	return o.Bandwidth.Size
}

// columnsOf returns the columns of latencies and of rates. The unit of the first of them stands before its columns.
func columnsOf(all []Operation) (unit string, columns []*valueColumn) {
	latencies := halfOf(all, false)
	rates := halfOf(all, true)
	switch {
	case len(latencies) == 0:
		return "Gb/s", rates
	case len(rates) > 0:
		columns = append([]*valueColumn{{head: " Gb/s", cells: make([]string, len(all))}}, rates...)
	}
	if slices.ContainsFunc(all, func(o Operation) bool { return o.Latency.of(result.BaseMode).Mean > 0 }) {
		return "mean usec", slices.Concat(latencies, columns)
	}
	return "usec", slices.Concat(latencies, columns)
}

// halfOf returns the columns of latencies or of rates, with the ratios of one mode to poll.
func halfOf(all []Operation, rates bool) (columns []*valueColumn) {
	figures := func(o Operation) *Figures {
		if rates {
			return o.Bandwidth
		}
		return o.Latency
	}
	compared := option.Mode("")
	for _, mode := range []option.Mode{option.ModeData, option.ModeCounter, option.ModeEvent, option.ModeAdaptive} {
		if slices.ContainsFunc(all, func(o Operation) bool { return figures(o).of(mode).Ratio != nil }) {
			compared = mode
			break
		}
	}
	ratios := &valueColumn{head: string(compared) + "/" + result.BaseName + ", faster to", left: true}
	for _, mode := range result.ModeOrder {
		c := &valueColumn{head: string(mode), mode: mode, rates: rates, ratio: mode == compared}
		for _, o := range all {
			c.cells = append(c.cells, figures(o).of(mode).valueText())
		}
		if slices.ContainsFunc(c.cells, func(cell string) bool { return cell != result.Unmeasured }) {
			columns = append(columns, c)
		}
	}
	if compared == "" {
		return columns
	}
	for _, o := range all {
		ratios.cells = append(ratios.cells, figures(o).of(compared).ratioText())
	}
	return append(columns, ratios)
}

// of returns the figure of a mode, or an empty one.
func (f *Figures) of(mode option.Mode) Figure {
	if f != nil {
		for _, fig := range f.Modes {
			if fig.Mode == mode {
				return fig
			}
		}
	}
	return Figure{}
}

// valueText formats the value in the unit of its column.
func (f Figure) valueText() string {
	switch {
	case f.Mode == "" || max(f.Rate, f.Median, f.Mean) == 0: // of a rate that the mode does not keep
		return result.Unmeasured
	case f.Rate > 0:
		return threeDigits(units.Gbps(f.Rate))
	}
	return threeDigits(units.Usec(max(f.Median, f.Mean)))
}

// ratioText returns the ratio, and how far or how the mode differs from poll.
func (f Figure) ratioText() string {
	switch {
	case f.Ratio == nil:
		return "not compared"
	case f.UpTo > 0:
		return f.Ratio.text() + " " + units.Size(f.UpTo)
	}
	return f.Ratio.text() + " " + f.Relation
}

// narrowed leaves out columns of modes that sleep until the others have at most room characters: rates first, and
// last those whose ratios are shown.
func narrowed(columns []*valueColumn, room int) []*valueColumn {
	for _, ratio := range []bool{false, true} {
		for _, rates := range []bool{true, false} {
			for _, mode := range sleepers {
				total := 0
				for _, c := range columns {
					total += 1 + c.width()
				}
				if total <= room {
					return columns
				}
				columns = slices.DeleteFunc(slices.Clone(columns), func(c *valueColumn) bool {
					return c.mode == mode && c.rates == rates && c.ratio == ratio
				})
			}
		}
	}
	return columns
}
