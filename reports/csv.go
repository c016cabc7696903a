package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// csvRun are the columns of a row's run, in front of its own.
var csvRun = []struct {
	name  string
	value func(*result.File) string
}{
	{"program", func(f *result.File) string { return f.Program }},
	{"role", func(f *result.File) string { return f.Role }},
	{"host", func(f *result.File) string { return f.Local.Host }},
	{"device", func(f *result.File) string { return f.Local.Device.Name }},
	{"software", SoftwareLabel},
	{"transport", func(f *result.File) string { return string(f.Parameters.Transport) }},
	{"qps", func(f *result.File) string { return strconv.Itoa(f.Parameters.QPs) }},
	{"started", func(f *result.File) string { return f.Started.Format("2006-01-02T15:04:05Z07:00") }},
}

// writeCSV prints a line of names and then one for each row: the fields of the result file by
// their paths, in its units. What a row does not have is empty.
func writeCSV(w io.Writer, files []*result.File) error {
	var names []string
	for _, c := range csvRun {
		names = append(names, c.name)
	}
	fields := csvFields(files)
	out := csv.NewWriter(w)
	_ = out.Write(slices.Concat(names, fields, []string{"warnings"})) // its error is that of Flush
	for _, f := range files {
		for i := range f.Rows {
			line, err := csvLine(f, &f.Rows[i], fields)
			if err != nil {
				return err
			}
			_ = out.Write(line)
		}
	}
	out.Flush()
	return out.Error()
}

// csvFields are those of rows that the kinds of the files have, but for lists and what is
// made of others.
func csvFields(files []*result.File) (fields []string) {
	for _, c := range result.Columns() {
		list := strings.HasPrefix(c.Field, "rounds") || c.Field == "latency" || c.Field == "latency.histogram" || c.Field == "samples_ns"
		has := func(f *result.File) bool { return c.Kind == "" || c.Kind == f.Kind }
		if !list && slices.ContainsFunc(files, has) {
			fields = append(fields, c.Field)
		}
	}
	return fields
}

func csvLine(f *result.File, r *result.Row, fields []string) ([]string, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode a row: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var row map[string]any
	if err := decoder.Decode(&row); err != nil {
		return nil, fmt.Errorf("encode a row: %w", err)
	}
	var cells, warnings []string
	for _, c := range csvRun {
		cells = append(cells, csvText(c.value(f)))
	}
	for _, field := range fields {
		cells = append(cells, csvText(csvCell(row, field)))
	}
	for _, w := range slices.Concat(f.Warnings, r.Warnings) {
		warnings = append(warnings, w.ID)
	}
	slices.Sort(warnings)
	return append(cells, csvText(strings.Join(slices.Compact(warnings), " "))), nil
}

// csvText puts an apostrophe in front of a text that a spreadsheet would take for a formula.
// Numbers stay as they are.
func csvText(cell string) string {
	if cell == "" || !strings.Contains("=+-@\t\r\n", cell[:1]) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil && strings.Trim(cell, "+-.0123456789eE") == "" {
		return cell
	}
	return "'" + cell
}

// csvCell is a member of a row in JSON, empty if it is not there.
func csvCell(row map[string]any, path string) string {
	name, rest, inner := strings.Cut(path, ".")
	switch v := row[name].(type) {
	case nil:
		return ""
	case map[string]any:
		if inner {
			return csvCell(v, rest)
		}
		return ""
	case []any:
		return strings.Trim(fmt.Sprint(v), "[]")
	default:
		return fmt.Sprint(v)
	}
}
