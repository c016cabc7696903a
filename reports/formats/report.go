package formats

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// The format of what WriteReport writes.
const (
	reportName    = "ibperf-report"
	reportVersion = 1
)

// A report is several runs with what follows from them together.
type report struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Verdict *verdict.Brief `json:"verdict,omitempty"`
	Runs    []reportRun    `json:"runs"`
}

// A reportRun is a result file whose rows have ratios.
type reportRun struct {
	*result.File
	Rows []reportRow `json:"rows"`
}

type reportRow struct {
	result.Row
	Ratio *ratio `json:"ratio,omitempty"`
}

// WriteReport writes one JSON document with the verdict, and all result files with the ratios of their
// rows.
func WriteReport(w io.Writer, files []*result.File) error {
	ratios := ratiosOf(files)
	all := report{Format: reportName, Version: reportVersion, Runs: []reportRun{}}
	if v := verdict.Judge(files); v != nil {
		all.Verdict = v.Brief
	}
	for _, f := range files {
		run := reportRun{f, []reportRow{}}
		for i := range f.Rows {
			run.Rows = append(run.Rows, reportRow{f.Rows[i], ratios[&f.Rows[i]]})
		}
		all.Runs = append(all.Runs, run)
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = w.Write(append(printable.EscapeJSON(data), '\n'))
	return err
}
