// Package formats writes result files in forms for other programs: JSON, CSV, Go's benchmark format and
// metrics for Prometheus.
package formats

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Write writes result files as JSON, as CSV with a line for each row, in Go's benchmark format with a line for
// each round, or as metrics with a sample for each row.
func Write(w io.Writer, files []*result.File, format option.Format) error {
	var b bytes.Buffer
	var err error
	switch format {
	case option.FormatJSON:
		err = writeJSON(&b, files)
	case option.FormatCSV:
		err = writeCSV(&b, files)
	case option.FormatGobench:
		err = writeGobench(&b, files)
	case option.FormatPrometheus:
		err = writePrometheus(&b, files)
	default:
		err = fmt.Errorf("format %q is not known", format)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// writeJSON writes one document for each file.
func writeJSON(b *bytes.Buffer, files []*result.File) error {
	for _, f := range files {
		data, err := f.Encode()
		if err != nil {
			return err
		}
		b.Write(data)
	}
	return nil
}
