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
	if format != option.FormatJSON { // whose rows have those of their devices
		files = apart(files)
	}
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

// apart returns files in which each of several devices of a run has a file of its own, before that of all of them together.
func apart(files []*result.File) (all []*result.File) {
	for _, f := range files {
		for _, one := range f.OfDevices() {
			one.Local.Device.Name, one.Peer.Device.Name = one.Local.Device.PortName(), one.Peer.Device.PortName()
			all = append(all, one)
		}
		all = append(all, f)
	}
	return all
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
