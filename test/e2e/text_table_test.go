package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
)

// row is a line of the table that both sides print.
type row struct {
	size, count int
	numbers     []float64 // after the count; 0 for a dash
	mode        string    // with its variant, and "!" if forced
}

// headers are perftest's column headers, which programs around perftest read. A column with the mode
// follows if the rows have several.
var headers = map[string]string{
	"lat":       ` #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] `,
	"lat-timed": ` #bytes        #iterations       t_avg[usec]    tps average`,
	"bw":        ` #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]`,
	"bw-timed":  ` #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]`,
	"bw-gbits":  ` #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]`,
	"bw-nopeak": ` #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]`,
}

// columns holds the number of columns that follow the count.
var columns = map[string]int{"lat": 7, "lat-timed": 2, "bw": 3, "bw-timed": 3, "bw-gbits": 3, "bw-nopeak": 3}

var rowLine = regexp.MustCompile(`^ (\d+) +(\d+)((?:[ \t]+(?:\d+\.\d+|-))+)(?:[ \t]+((?:data|poll|counter|adaptive|event)(?:\+[\w-]+| \(\w+\))?!?))? *$`)

// onlyMode matches the line with the mode of all rows, where the rows have no mode.
var onlyMode = regexp.MustCompile(`(?m)^ Completion      : (\w+)( \(asked for: \w+\))?$`)

// layoutOf returns the layout of a program's table.
func layoutOf(program string) string {
	if isLatency(program) {
		return "lat"
	}
	return "bw"
}

// table returns the rows below a column header.
func table(out, layout string) (rows []row, err error) {
	head, rest, found := strings.Cut(out, "\n"+headers[layout])
	if !found {
		return nil, fmt.Errorf("no header %q", headers[layout])
	}
	rest, each := strings.CutPrefix(rest, "      mode\n")
	only := onlyMode.FindStringSubmatch(head)
	if !each && (only == nil || !strings.HasPrefix(rest, "\n")) {
		return nil, fmt.Errorf("neither the rows nor the header have the mode")
	}
	rest = strings.TrimPrefix(rest, "\n")
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "----") {
			return rows, nil
		}
		r, err := parseRow(strings.TrimSuffix(line, "\n"), layout)
		if err != nil {
			return nil, err
		}
		if !each {
			r.mode = only[1] + r.mode
		}
		rows = append(rows, r)
	}
	return nil, fmt.Errorf("no line of dashes below the rows")
}

func parseRow(line, layout string) (r row, err error) {
	m := rowLine.FindStringSubmatch(line)
	if m == nil {
		return r, fmt.Errorf("not a row: %q", line)
	}
	r.size, _ = strconv.Atoi(m[1])
	r.count, _ = strconv.Atoi(m[2])
	r.mode = m[4]
	for field := range strings.FieldsSeq(m[3]) {
		if field == "-" {
			field = "0"
		}
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return r, fmt.Errorf("row %q: %w", line, err)
		}
		r.numbers = append(r.numbers, v)
	}
	if len(r.numbers) != columns[layout] {
		return r, fmt.Errorf("row %q has %d numbers, want %d", line, len(r.numbers), columns[layout])
	}
	return r, r.check(line, layout)
}

// check returns an error if the numbers of a row contradict each other.
func (r *row) check(line, layout string) error {
	n := r.numbers
	var ok bool
	switch {
	case len(n) == 7: // min, max, typical, average, deviation, 99 %, 99.9 %
		ok = r.count > 0 && n[0] > 0 && slices.IsSorted([]float64{n[2], n[5], n[6]}) && n[3] >= n[0] && n[3] <= n[1] &&
			n[0] <= n[2]*1.001 && n[6] <= n[1]*1.001
	case len(n) == 2: // average, messages a second
		ok = r.count > 0 && n[0] > 0 && n[1] > 0
	default: // peak, average, messages a second
		ok = r.count > 0 && n[1] > 0 && n[2] > 0 && peakRules[layout](n[0], n[1])
	}
	if !ok {
		return fmt.Errorf("row %q contradicts itself", line)
	}
	return nil
}

// peakRules report, by layout, whether a peak is possible with an average. A counted run may be too
// short for a peak.
var peakRules = map[string]func(peak, average float64) bool{
	"bw":        func(peak, average float64) bool { return peak == 0 || peak >= average },
	"bw-gbits":  func(peak, average float64) bool { return peak == 0 || peak >= average },
	"bw-timed":  func(peak, average float64) bool { return peak >= average },
	"bw-nopeak": func(peak, _ float64) bool { return peak == 0 },
}

// wantRows checks that a side printed a row for each size in each mode, in that order, and returns
// them. Mode event may have, instead of a row, a line that every completion was already queued. Rows of
// event on one CPU, which only hosts with two CPUs have, are not checked.
func (p *process) wantRows(layout string, sizes []int, modes []string) []row {
	p.t.Helper()
	rows, err := table(p.out.String(), layout)
	var got, want []string
	for _, r := range rows {
		if r.mode != "event+same-cpu" {
			got = append(got, fmt.Sprintf("%d %s", r.size, r.mode))
		}
	}
	for _, size := range sizes {
		for _, mode := range modes {
			name := fmt.Sprintf("%d %s", size, mode)
			if mode != "event" || !p.neverSlept(size) || slices.Contains(got, name) {
				want = append(want, name)
			}
		}
	}
	switch {
	case err != nil && len(want) > 0:
		p.t.Fatalf("%s: %v\n%s", p.name, err, p.output())
	case !slices.Equal(got, want):
		p.t.Fatalf("%s printed rows %q, want %q\n%s", p.name, got, want, p.output())
	}
	return rows
}

var missing = regexp.MustCompile(`(?m)^(?: |WARNING: )size (.*) event: not measured: every completion was already queued`)

// neverSlept reports whether the output says that no side slept in mode event with a size.
func (p *process) neverSlept(size int) bool {
	m := missing.FindStringSubmatch(p.out.String() + p.err.String())
	return m != nil && slices.Contains(strings.Split(m[1], ", "), units.Size(size))
}

// wantSoftwareLabel checks that the header calls the device software.
func (p *process) wantSoftwareLabel(device string) {
	p.t.Helper()
	const what = "embedded shared-memory device, not RDMA hardware"
	for _, text := range []string{" Device          : " + device + "\n", " Software device : " + what} {
		if !strings.Contains(p.out.String(), text) {
			p.t.Fatalf("%s did not print %q\n%s", p.name, text, p.output())
		}
	}
}
