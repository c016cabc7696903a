package reports

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/result"
)

// writeGobench prints files in Go's benchmark format
// (https://go.dev/design/14313-benchmark-format), which benchstat compares: for each file
// lines about the run, then a line for each round of each row.
func writeGobench(b *bytes.Buffer, files []*result.File) {
	for i, f := range files {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, l := range gobenchRun(f) {
			if l[1] != "" {
				fmt.Fprintf(b, "%s: %s\n", l[0], Clean(l[1]))
			}
		}
		for j := range f.Rows {
			gobenchRow(b, f, &f.Rows[j])
		}
	}
}

// gobenchRun is what is known of a run. Keys begin with a lower case letter.
func gobenchRun(f *result.File) [][2]string {
	lines := [][2]string{
		{"program", f.Program}, {"role", f.Role}, {"host", f.Local.Host}, {"cpu", f.Local.CPU},
		{"device", f.Local.Device.Name}, {"software", SoftwareLabel(f)},
	}
	plan := option.Settings{Plan: f.Parameters.Plan}
	for _, s := range f.Parameters.Settings() {
		if s.Header {
			lines = append(lines, [2]string{s.Option.JSON, s.Option.Text(&plan)})
		}
	}
	return lines
}

// gobenchRow prints a row's rounds, and on which side a rate was measured. The percentiles are of all
// rounds together: a row of one round has them. What was lost is of all rounds, too, and stands with each.
func gobenchRow(b *bytes.Buffer, f *result.File, r *result.Row) {
	name := fmt.Sprintf("Benchmark%s%s/size=%d/mode=%s", camel(f.Op), camel(f.Kind), r.Size, r.Mode)
	if r.Variant != "" {
		name += "+" + r.Variant
	}
	if r.Bandwidth != nil {
		fmt.Fprintf(b, "measured-at: %s\n", Clean(r.Bandwidth.MeasuredAt))
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

// gobenchValue prints a number that was measured.
func gobenchValue(b *bytes.Buffer, v float64, unit string) {
	if v > 0 {
		b.WriteString(" " + strconv.FormatFloat(v, 'f', -1, 64) + " " + unit)
	}
}

// camel begins a word with an upper case letter.
func camel(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
