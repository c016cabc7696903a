package reports

import (
	"io"
	"strconv"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// A numberPrinter prints one number for each row or interval: average bandwidth, message rate in 10^6
// messages per second, or mean latency in usec.
type numberPrinter struct {
	w      io.Writer
	file   *result.File
	output option.Output
	gbits  bool // bandwidth in Gb/s instead of MiB/s
	err    error
}

func (n *numberPrinter) Begin([]Address)       {}
func (n *numberPrinter) Interval(r result.Row) { n.Row(r) }
func (n *numberPrinter) End()                  {}
func (n *numberPrinter) Err() error            { return n.err }
func (n *numberPrinter) Warnings() []string    { return rows.Single(n.file, n.file.Rows).WarningLines() }

func (n *numberPrinter) Row(r result.Row) {
	if n.err == nil {
		_, n.err = io.WriteString(n.w, strconv.FormatFloat(n.value(&r), 'f', 6, 64)+"\n")
	}
}

func (n *numberPrinter) value(r *result.Row) float64 {
	switch {
	case r.Latency != nil:
		return units.Usec(r.Latency.MeanNs)
	case n.output == option.OutputRate:
		return units.Mpps(r.Bandwidth.MsgRate)
	}
	return units.Rate(r.Bandwidth.Average, n.gbits)
}
