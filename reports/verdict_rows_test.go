package reports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/internal/synthetic"
	"github.com/ibperf/ibperf/reports/result"
)

// What follows draws comparisons of all kinds and holds what their verdict says against
// the rows, by computations of its own.

// randomSizes are those that drawn comparisons have some of.
var randomSizes = []int{2, 8, 64, 512, 4096, 65536, 1 << 20}

// template is a file to draw from, made once: histograms take time.
func template(t *testing.T, op, kind string) *result.File {
	return synthetic.File(t, op, kind, randomSizes, "data", "poll", "event")
}

// drawn is a comparison with random ratios, noise, rounds and gaps.
func drawn(rnd *rand.Rand, from *result.File) *result.File {
	f := *from
	f.Rows, f.NotMeasured = nil, nil
	rounds, noise := 1+rnd.IntN(30), math.Pow(10, -3+2.5*rnd.Float64())
	forced, noRatio, gaps, checked := rnd.IntN(8) == 0, rnd.IntN(8) == 0, rnd.IntN(3) == 0, rnd.IntN(4) == 0
	f.Parameters.Verify = checked && rnd.IntN(2) == 0
	f.Parameters.Sizes = randomSizes[:1+rnd.IntN(len(randomSizes))]
	for _, r := range from.Rows {
		if !slices.Contains(f.Parameters.Sizes, r.Size) || gaps && rnd.IntN(4) == 0 {
			continue
		}
		level := math.Exp(0.3 * rnd.NormFloat64())
		if rnd.IntN(3) == 0 {
			level = 1
		}
		r.Rounds = nil
		for i := range rounds {
			v := 1000 * level * math.Exp(noise*rnd.NormFloat64())
			r.Rounds = append(r.Rounds, result.Round{Run: 1 + i/10, P50Ns: v, Average: v})
		}
		if gaps && rnd.IntN(4) == 0 {
			r.Rounds = r.Rounds[rnd.IntN(len(r.Rounds)):]
		}
		r.Forced = forced && r.Mode == "data"
		if noRatio && rnd.IntN(2) == 0 {
			r.NoRatio = "it does not wait"
		}
		if checked {
			r.Verify = &result.Verify{Messages: uint64(rnd.IntN(1000))}
			if rnd.IntN(10) == 0 {
				r.Verify.Torn = uint64(rnd.IntN(3))
			}
		}
		r.Local.Busy, r.Peer.Busy = rnd.Float64(), rnd.Float64()
		f.Rows = append(f.Rows, r)
	}
	if rnd.IntN(6) == 0 {
		f.Role = "server"
	}
	return &f
}

// An oracle judges pairs of rows in the plainest way.
type oracle struct {
	files  []*result.File
	broken map[string]bool // "write at node2": some data was wrong that was promised
	wrong  map[string]bool // "node2": some data was wrong after a completion
}

func newOracle(files []*result.File) oracle {
	o := oracle{files, map[string]bool{}, map[string]bool{}}
	for _, f := range files {
		for _, r := range f.Rows {
			for _, host := range waitingHosts(f) {
				if r.Verify != nil && r.Verify.Torn > 0 && r.Mode != "data" {
					o.wrong[host] = true
				}
				if r.Verify != nil && r.Verify.Torn > 0 && r.Mode == "data" && !r.Forced {
					o.broken[f.Op+" at "+host] = true
				}
			}
		}
	}
	return o
}

// waitingHosts are those that wait for messages. All drawn files are of one device of each.
func waitingHosts(f *result.File) []string {
	client, server := f.Local.Host, f.Peer.Host
	if f.Role == "server" {
		client, server = server, client
	}
	switch {
	case f.Op == "read":
		return []string{client}
	case f.Kind == result.KindLatency:
		return []string{client, server}
	}
	return []string{server}
}

// breaks tells whether a host that waits brought wrong data of the run's operation.
func (o oracle) breaks(f *result.File) bool {
	return slices.ContainsFunc(waitingHosts(f), func(host string) bool { return o.broken[f.Op+" at "+host] })
}

// worthless tells whether a host that waits brought wrong data after a completion.
func (o oracle) worthless(f *result.File) bool {
	return slices.ContainsFunc(waitingHosts(f), func(host string) bool { return o.wrong[host] })
}

// figure is what rounds of a kind are compared by.
func figure(kind string, r result.Round) float64 {
	if kind == result.KindLatency {
		return r.P50Ns
	}
	return r.Average
}

// ratioOf pairs the n-th round of each run of one row with that of another.
func (o oracle) ratioOf(kind string, a, b result.Row) ratio.Ratio {
	var as, bs []float64
	var runs []int
	for run := range 10 {
		var of [2][]float64
		for k, row := range []result.Row{a, b} {
			for _, r := range row.Rounds {
				if r.Run == run {
					of[k] = append(of[k], figure(kind, r))
				}
			}
		}
		for i := range min(len(of[0]), len(of[1])) {
			as, bs, runs = append(as, of[0][i]), append(bs, of[1][i]), append(runs, run)
		}
	}
	return ratio.Of(as, bs, runs)
}

// fit are the rows of a size that may be recommended.
func (o oracle) fit(f *result.File, size int) map[string]result.Row {
	rows := map[string]result.Row{}
	for _, r := range f.Rows {
		if r.Size == size && !r.Forced && !(o.breaks(f) && r.Mode == "data") {
			rows[r.Mode] = r
		}
	}
	return rows
}

// decided tells whether each pair of rows may be compared.
func (o oracle) decided(kind string, rows map[string]result.Row) bool {
	for _, a := range rows {
		for _, b := range rows {
			if a.Mode != b.Mode && (a.NoRatio != "" || b.NoRatio != "" || !o.ratioOf(kind, a, b).Enough) {
				return false
			}
		}
	}
	return true
}

// beaten tells whether some row is faster than that of a mode.
func (o oracle) beaten(kind string, rows map[string]result.Row, mode string) bool {
	for _, other := range rows {
		r := o.ratioOf(kind, other, rows[mode])
		if other.Mode != mode && (kind == result.KindLatency && r.High < 1 || kind == result.KindBandwidth && r.Low > 1) {
			return true
		}
	}
	return false
}

// checkStandings holds each clause of a verdict against all pairs of its rows.
func (o oracle) checkStandings(t *testing.T, f *findings) {
	t.Helper()
	for _, s := range f.subjects {
		kind := s.group.Kind
		seen := 0
		for _, c := range s.clauses {
			seen += len(c.points)
			for _, l := range c.points {
				rows := o.fit(fileOf(l), l.size)
				sure := !s.group.Verify && !o.worthless(fileOf(l)) && o.decided(kind, rows)
				switch {
				case len(c.fastest) == 0 && c.why == "":
					t.Errorf("%s, %d bytes: no mode and no reason", s.name, l.size)
				case c.why == "" && !sure && len(rows) > 1:
					t.Errorf("%s, %d bytes: %v is concluded from rows that cannot be compared", s.name, l.size, c.fastest)
				case c.why != "" && sure && len(rows) > 1 && !strings.Contains(c.why, "contradict"):
					t.Errorf("%s, %d bytes: nothing is concluded: %s", s.name, l.size, c.why)
				}
				for mode := range rows {
					if c.why == "" && len(rows) > 1 && slices.Contains(c.fastest, mode) == o.beaten(kind, rows, mode) {
						t.Errorf("%s, %d bytes: fastest are %v, %s is beaten: %v", s.name, l.size, c.fastest, mode, o.beaten(kind, rows, mode))
					}
				}
				for _, mode := range c.fastest {
					if _, fit := rows[mode]; !fit {
						t.Errorf("%s, %d bytes: %s is recommended", s.name, l.size, mode)
					}
				}
			}
		}
		if seen != len(s.points) {
			t.Errorf("%s: clauses are of %d points, there are %d", s.name, seen, len(s.points))
		}
	}
}

func fileOf(l *lineup) *result.File {
	for _, e := range l.rows {
		return e.File
	}
	return nil
}

var (
	ratioText    = regexp.MustCompile(`^(data|event) for ([^:;]*?)(?: bytes)?, ([0-9.]+)(?: to ([0-9.]+))? (?:of|times) poll's (?:time|rate) \[([0-9.]+)-([0-9.]+)\]$`)
	noDifference = regexp.MustCompile(`^poll for ([^:;]*?)(?: bytes)?, no difference to data shown \[([0-9.]+)-([0-9.]+)\]$`)
)

// sizesIn reads "2-512, 4K".
func sizesIn(t *testing.T, f *result.File, text string) []int {
	t.Helper()
	var all []int
	index := func(name string) int {
		i := slices.IndexFunc(randomSizes, func(size int) bool { return units.Size(size) == name })
		if i < 0 {
			t.Fatalf("%q names no size", text)
		}
		return i
	}
	for _, part := range strings.Split(text, ", ") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		for _, size := range randomSizes[index(first) : index(last)+1] {
			// A range is of neighbours among the sizes that were measured.
			if slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Size == size }) {
				all = append(all, size)
			}
		}
	}
	return all
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// below tells whether a number is at most another one, as they are printed.
func below(a, b float64) bool { return a <= b+max(0.0051, 0.006*b) }

// checkText reads the sentence about a file of one test and holds it against the rows.
func (o oracle) checkText(t *testing.T, f *result.File, line string) (read int) {
	t.Helper()
	_, text, _ := strings.Cut(line, ": ")
	for _, clause := range strings.Split(text, "; ") {
		if m := ratioText.FindStringSubmatch(clause); m != nil {
			read++
			if m[4] == "" {
				m[4] = m[3]
			}
			for _, size := range sizesIn(t, f, m[2]) {
				rows := o.fit(f, size)
				r := o.ratioOf(f.Kind, rows[m[1]], rows["poll"])
				if !below(number(t, m[3]), r.Median) || !below(r.Median, number(t, m[4])) || !below(number(t, m[5]), r.Low) || !below(r.High, number(t, m[6])) {
					t.Errorf("%d bytes: %+v, %q", size, r, clause)
				}
			}
		}
		if m := noDifference.FindStringSubmatch(clause); m != nil {
			read++
			for _, size := range sizesIn(t, f, m[1]) {
				rows := o.fit(f, size)
				if r := o.ratioOf(f.Kind, rows["data"], rows["poll"]); r.Different() || !below(number(t, m[2]), r.Low) || !below(r.High, number(t, m[3])) {
					t.Errorf("%d bytes: %+v, %q", size, r, clause)
				}
			}
		}
	}
	return read
}

// checkCosts holds ranges of busy cores and of event's ratio against all rows.
func (o oracle) checkCosts(t *testing.T, f *findings) {
	t.Helper()
	for _, c := range f.costs {
		kind := c.of.group.Kind
		for mode, got := range c.busy {
			least, most := math.Inf(1), 0.0
			low, high := math.Inf(1), 0.0
			for _, file := range o.files {
				if file.Kind != kind || file.Parameters.Verify || o.worthless(file) {
					continue
				}
				for _, r := range file.Rows {
					for _, busy := range waitingBusy(file, r) {
						if r.Mode == mode && r.NoRatio == "" {
							least, most = min(least, busy), max(most, busy)
						}
					}
				}
				for _, size := range randomSizes {
					a, b := rowAt(file, size, "event"), rowAt(file, size, "poll")
					if r := o.ratioOf(kind, a, b); r.Enough && a.NoRatio+b.NoRatio == "" {
						low, high = min(low, r.Low), max(high, r.High)
					}
				}
			}
			if got.least != least || got.most != most {
				t.Errorf("%s %s: busy %v, rows have %v to %v", c.name, mode, got, least, most)
			}
			if c.event.n > 0 && (c.event.low != low || c.event.high != high) {
				t.Errorf("%s: event to poll %+v, rows have %v to %v", c.name, c.event, low, high)
			}
		}
	}
}

// waitingBusy is how busy the sides were that wait for messages.
func waitingBusy(f *result.File, r result.Row) []float64 {
	client, server := r.Local.Busy, r.Peer.Busy
	if f.Role == "server" {
		client, server = server, client
	}
	switch {
	case f.Op == "read":
		return []float64{client}
	case f.Kind == result.KindLatency:
		return []float64{client, server}
	}
	return []float64{server}
}

func rowAt(f *result.File, size int, mode string) result.Row {
	for _, r := range f.Rows {
		if r.Size == size && r.Mode == mode {
			return r
		}
	}
	return result.Row{}
}

// checkChecks counts what was checked.
func (o oracle) checkChecks(t *testing.T, c *checks) {
	t.Helper()
	var data, forced, other, torn uint64
	for _, f := range o.files {
		for _, r := range f.Rows {
			if r.Verify == nil {
				continue
			}
			torn += r.Verify.Torn
			switch {
			case r.Mode != "data":
				other += r.Verify.Messages
			case r.Forced:
				forced += r.Verify.Messages
			default:
				data += r.Verify.Messages
			}
		}
	}
	if c.data.Messages != data || c.forced.Messages != forced || c.other.Messages != other || c.bad() != (torn > 0) {
		t.Errorf("checked %d, %d, %d, bad %v; rows have %d, %d, %d, torn %d",
			c.data.Messages, c.forced.Messages, c.other.Messages, c.bad(), data, forced, other, torn)
	}
}

func TestNoSentenceContradictsARow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 11))
	var templates []*result.File
	for _, op := range []string{"write", "send", "read"} {
		for _, kind := range []string{result.KindLatency, result.KindBandwidth} {
			templates = append(templates, template(t, op, kind))
		}
	}
	read := 0
	for i := range 400 {
		var files []*result.File
		for _, from := range templates {
			if len(files) == 0 || rnd.IntN(3) == 0 {
				files = append(files, drawn(rnd, from))
			}
		}
		f, o := find(files), newOracle(files)
		o.checkStandings(t, f)
		o.checkCosts(t, f)
		o.checkChecks(t, &f.checks)
		for _, s := range f.subjects {
			read += o.checkText(t, fileOf(s.points[0]), s.name+": "+s.sentence(true))
		}
		printable(t, Judge(files).Text(100), nil)
		if t.Failed() {
			t.Fatalf("comparison %d:\n%s\n%s", i, sideBySide(t, files...), fmt.Sprint(o.broken))
		}
	}
	if read < 300 {
		t.Errorf("only %d clauses were read", read)
	}
}
