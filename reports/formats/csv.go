package formats

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A runColumn is a property of a run in words.
type runColumn struct {
	name  string
	value func(*result.File) string
}

// csvRun lists the columns of the run, which precede those of the row.
var csvRun = []runColumn{
	{"program", func(f *result.File) string { return f.Program }},
	{"role", func(f *result.File) string { return f.Role }},
	{"host", func(f *result.File) string { return f.Local.Host }},
	{"device", func(f *result.File) string { return f.Local.DeviceNames() }},
	{"software", rows.SoftwareLabel},
	{"transport", func(f *result.File) string { return string(f.Parameters.Transport) }},
	{"qps", func(f *result.File) string { return strconv.Itoa(f.Parameters.QPs) }},
	{"started", func(f *result.File) string { return f.Started.Format("2006-01-02T15:04:05Z07:00") }},
}

// origin lists the release that wrote the file, and the peer.
var origin = []runColumn{
	{"release", func(f *result.File) string { return f.Release }},
	{"peer_host", func(f *result.File) string { return f.Peer.Host }},
	{"peer_device", func(f *result.File) string { return f.Peer.DeviceNames() }},
}

// writeCSV writes a line of names and a line for each row: properties of the run, the fields of the
// row in the result file by path, its warnings, its ratio, and the parameters of the run. Numbers are
// in SI units. Missing values are empty.
func writeCSV(w io.Writer, files []*result.File) error {
	out := csv.NewWriter(w)
	fields, ratios := csvFields(files), ratiosOf(files)
	_ = out.Write(csvHead(fields)) // Flush returns its error
	for _, f := range files {
		after, err := csvAfter(f)
		if err != nil {
			return err
		}
		for i := range f.Rows {
			line, err := csvLine(f, &f.Rows[i], fields)
			if err != nil {
				return err
			}
			line = append(line, each(ratios[&f.Rows[i]].cells(), cell.csv)...)
			_ = out.Write(append(line, after...))
		}
	}
	out.Flush()
	return out.Error()
}

// parameterPath precedes the names of options.
const parameterPath = "parameters."

// csvHead returns the names of all columns.
func csvHead(fields []string) (names []string) {
	for _, c := range csvRun {
		names = append(names, c.name)
	}
	names = slices.Concat(names, fields, []string{"warnings"}, each((*ratio)(nil).cells(), cell.head))
	for _, c := range origin {
		names = append(names, c.name)
	}
	for _, o := range option.AgreedOptions() {
		names = append(names, parameterPath+o.JSON)
	}
	return names
}

// csvFields returns the fields of rows of the kinds that files have, without lists and derived
// fields.
func csvFields(files []*result.File) (fields []string) {
	for _, c := range result.Columns() {
		list := strings.HasPrefix(c.Field, "rounds") || c.Field == "latency" || c.Field == "latency.histogram" || c.Field == "devices" || c.Field == "samples_ns"
		has := func(f *result.File) bool { return c.Kind == "" || c.Kind == f.Kind }
		if !list && slices.ContainsFunc(files, has) {
			fields = append(fields, c.Field)
		}
	}
	return fields
}

// csvLine returns the cells of a row up to its warnings.
func csvLine(f *result.File, r *result.Row, fields []string) ([]string, error) {
	row, err := membersOf(r)
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, c := range csvRun {
		cells = append(cells, csvText(c.value(f)))
	}
	for _, field := range fields {
		cells = append(cells, csvText(member(row, field)))
	}
	return append(cells, csvText(warningIDs(slices.Concat(f.Warnings, r.Warnings)))), nil
}

// warningIDs returns the ids of warnings, separated by blanks.
func warningIDs(warnings []result.Warning) string {
	var ids []string
	for _, w := range warnings {
		ids = append(ids, string(w.ID))
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " ")
}

// csvAfter returns the cells of a run that follow the warnings.
func csvAfter(f *result.File) (cells []string, err error) {
	plan, err := parameters(&f.Parameters.Plan)
	if err != nil {
		return nil, err
	}
	for _, c := range origin {
		cells = append(cells, csvText(c.value(f)))
	}
	return append(cells, each(plan, cell.csv)...), nil
}

// head returns the name of a cell's column.
func (c cell) head() string { return c.name }

// csv returns the text of a cell.
func (c cell) csv() string { return csvText(c.text) }

// each returns a text of each cell.
func each(cells []cell, text func(cell) string) (texts []string) {
	for _, c := range cells {
		texts = append(texts, text(c))
	}
	return texts
}

// csvText puts an apostrophe before a text that a spreadsheet would read as a formula, but not
// before numbers.
func csvText(cell string) string {
	if cell == "" || !strings.Contains("=+-@\t\r\n", cell[:1]) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil && strings.Trim(cell, "+-.0123456789eE") == "" {
		return cell
	}
	return "'" + cell
}
