package formats

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// writeGobench writes files in Go's benchmark format (https://go.dev/design/14313-benchmark-format),
// which benchstat compares: for each file, lines about the run and a line for each round of each
// row.
func writeGobench(b *bytes.Buffer, files []*result.File) error {
	for i, f := range files {
		if i > 0 {
			b.WriteByte('\n')
		}
		keys, err := gobenchRun(f)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if text := printable.Clean(k.text); text != "" {
				fmt.Fprintf(b, "%s: %s\n", k.name, text)
			} else if i > 0 {
				fmt.Fprintf(b, "%s:\n", k.name) // else the value of the previous file holds
			}
		}
		for j := range f.Rows {
			gobenchRow(b, f, &f.Rows[j])
		}
	}
	return nil
}

// gobenchRun returns keys and values of a run. Keys begin with a lower case letter.
func gobenchRun(f *result.File) ([]cell, error) {
	keys := []cell{
		{"program", f.Program}, {"role", f.Role}, {"host", f.Local.Host}, {"cpu", f.Local.CPU},
		{"device", f.Local.DeviceNames()}, {"software", rows.SoftwareLabel(f)}, {keyMeasuredAt, ""},
	}
	for _, c := range origin {
		keys = append(keys, cell{c.name, c.value(f)})
	}
	plan, err := parameters(&f.Parameters.Plan)
	return append(keys, plan...), err
}

// keyMeasuredAt is the key of the side that measured a rate.
const keyMeasuredAt = "measured-at"

// gobenchRow writes the rounds of a row, and the side that measured a rate. Percentiles are known
// for all rounds together, so only a row of one round has them. The fraction of lost messages is
// that of all rounds, in each line.
func gobenchRow(b *bytes.Buffer, f *result.File, r *result.Row) {
	name := fmt.Sprintf("Benchmark%s%s/size=%d/mode=%s", camel(string(f.Op)), camel(string(f.Kind)), r.Size, r.Mode)
	if r.Variant != "" {
		name += "+" + string(r.Variant)
	}
	if r.Bandwidth != nil {
		fmt.Fprintf(b, keyMeasuredAt+": %s\n", printable.Clean(r.Bandwidth.MeasuredAt))
	}
	for i := range r.Rounds {
		round := &r.Rounds[i]
		if round.Messages == 0 {
			continue
		}
		fmt.Fprintf(b, "%s %d", name, round.Messages)
		if r.Latency != nil {
			gobenchValue(b, round.MeanNs, "ns/op")
			gobenchValue(b, round.P50Ns, "p50-ns")
			if len(r.Rounds) == 1 {
				gobenchValue(b, r.Latency.P99Ns, "p99-ns")
				gobenchValue(b, r.Latency.P999Ns, "p99.9-ns")
			}
		} else {
			gobenchValue(b, round.Seconds*1e9/float64(round.Messages), "ns/op")
			gobenchValue(b, round.Average, "B/s")
			gobenchValue(b, float64(round.Messages)/round.Seconds, "msgs/s")
		}
		if d := r.Delivery; d != nil {
			fmt.Fprintf(b, " %g lost/msg", float64(d.Lost)/float64(max(1, d.Sent)))
		}
		b.WriteByte('\n')
	}
}

// gobenchValue writes a number that was measured.
func gobenchValue(b *bytes.Buffer, v float64, unit string) {
	if v > 0 {
		b.WriteString(" " + strconv.FormatFloat(v, 'f', -1, 64) + " " + unit)
	}
}

// camel returns a word with an upper case first letter.
func camel(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
