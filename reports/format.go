package reports

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// WriteFormat prints result files for programs to read: option.FormatJSON as they are,
// option.FormatCSV as a line for each row, option.FormatGobench as lines of Go's benchmark
// format.
func WriteFormat(w io.Writer, files []*result.File, format option.Format) error {
	var b bytes.Buffer
	var err error
	switch format {
	case option.FormatJSON:
		err = writeJSON(&b, files)
	case option.FormatCSV:
		err = writeCSV(&b, files)
	case option.FormatGobench:
		writeGobench(&b, files)
	default:
		err = fmt.Errorf("format %q is not known", format)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// writeJSON prints one document for each file.
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
