package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// row is a line of the table that both sides print.
type row struct {
	size, count int
	numbers     []float64 // behind the count
	mode        string    // with "!" if forced
}

// perftest's column headers, which scripts look for; the mode is ours.
var headers = map[string]string{
	"lat":       ` #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] `,
	"lat-timed": ` #bytes        #iterations       t_avg[usec]    tps average`,
	"bw":        ` #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]`,
	"bw-gbits":  ` #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]`,
	"bw-nopeak": ` #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]`,
}

// columns is how many numbers stand behind the count, without those that are missing.
var columns = map[string]int{"lat": 7, "lat-timed": 2, "bw": 3, "bw-gbits": 3, "bw-nopeak": 2}

var rowLine = regexp.MustCompile(`^ (\d+) +(\d+)((?:[ \t]+(?:\d+\.\d+|-))+)[ \t]+(data!?|poll|event)$`)

// layoutOf names the table of a run.
func layoutOf(program string, timed, gbits bool) string {
	switch {
	case latency(program) && timed:
		return "lat-timed"
	case latency(program):
		return "lat"
	case gbits:
		return "bw-gbits"
	}
	return "bw"
}

// table reads the rows below a column header.
func table(out, layout string) (rows []row, err error) {
	header := headers[layout] + "      mode\n"
	_, rest, found := strings.Cut(out, "\n"+header)
	if !found {
		return nil, fmt.Errorf("no header %q", header)
	}
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "----") {
			return rows, nil
		}
		r, err := parseRow(strings.TrimSuffix(line, "\n"), columns[layout])
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return nil, fmt.Errorf("no line of dashes below the rows")
}

func parseRow(line string, columns int) (r row, err error) {
	m := rowLine.FindStringSubmatch(line)
	if m == nil {
		return r, fmt.Errorf("not a row: %q", line)
	}
	r.size, _ = strconv.Atoi(m[1])
	r.count, _ = strconv.Atoi(m[2])
	r.mode = m[4]
	for field := range strings.FieldsSeq(m[3]) {
		if field == "-" {
			continue
		}
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return r, fmt.Errorf("row %q: %w", line, err)
		}
		r.numbers = append(r.numbers, v)
	}
	if len(r.numbers) != columns {
		return r, fmt.Errorf("row %q has %d numbers, want %d", line, len(r.numbers), columns)
	}
	return r, r.check(line)
}

// check returns what cannot be true in a row.
func (r *row) check(line string) error {
	n := r.numbers
	var ok bool
	switch {
	case len(n) == 7: // min, max, typical, average, deviation, 99 %, 99.9 %
		ok = r.count > 0 && n[0] > 0 && slices.IsSorted([]float64{n[2], n[5], n[6]}) && n[3] >= n[0] && n[3] <= n[1] &&
			n[0] <= n[2]*1.001 && n[6] <= n[1]*1.001
	case len(n) == 2: // average, messages a second
		ok = r.count > 0 && n[0] > 0 && n[1] > 0
	default: // peak, average, messages a second
		ok = r.count > 0 && n[0] >= n[1] && n[1] > 0 && n[2] > 0
	}
	if !ok {
		return fmt.Errorf("row %q cannot be true", line)
	}
	return nil
}

// wantRows checks that a side has printed a row for each size in each mode, in
// that order, and returns them.
func (p *process) wantRows(layout string, sizes []int, modes []string) []row {
	p.t.Helper()
	rows, err := table(p.out.String(), layout)
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", p.name, err, p.said())
	}
	var got, want []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%d %s", r.size, r.mode))
	}
	for _, size := range sizes {
		for _, mode := range modes {
			want = append(want, fmt.Sprintf("%d %s", size, mode))
		}
	}
	if !slices.Equal(got, want) {
		p.t.Fatalf("%s printed rows %q, want %q\n%s", p.name, got, want, p.said())
	}
	return rows
}

// labelled checks that the output says that the device is software: in the
// header and in a warning for each side.
func (p *process) labelled(device string) {
	p.t.Helper()
	const what = "embedded shared-memory device, not RDMA hardware\n"
	for _, text := range []string{
		" Device          : " + device + "\n", " Software device : " + what,
		"WARNING: this side uses " + device + ": " + what, "WARNING: the peer uses " + device + ": " + what,
	} {
		if !strings.Contains(p.out.String(), text) {
			p.t.Fatalf("%s did not print %q\n%s", p.name, text, p.said())
		}
	}
}
