package text

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// counts matches the number in perftest's column #iterations.
var counts = regexp.MustCompile(`(?m)^ 64 +(\d+) +\d+\.\d+ `)

// A counted run without a complete window prints its average as the peak; timed runs and --noPeak print 0.00.
func TestPeakOfShortRuns(t *testing.T) {
	for name, change := range map[string]func(*result.Parameters){
		"counted": func(*result.Parameters) {}, "0.00 timed": func(p *result.Parameters) { p.Duration = 1e9 }, "0.00 noPeak": func(p *result.Parameters) { p.NoPeak = true },
	} {
		f := testresult.File(t, "write", option.KindBandwidth, []int{64}, "poll")
		f.Parameters.Compare, f.Rows[0].Bandwidth.Peak = false, 0
		change(&f.Parameters)
		text := fullText(t, false, f)
		columns := regexp.MustCompile(`(?m)^ 64 +\d+ +(\S+) +(\S+)`).FindStringSubmatch(text)
		if zero := name != "counted"; columns == nil || (columns[1] == "0.00") != zero || (columns[1] == columns[2]) == zero {
			t.Errorf("%s: %q in\n%s", name, columns, text)
		}
	}
}

// The depth of the receive queue is shown where messages may consume receives.
func TestDepthOfReceives(t *testing.T) {
	for _, c := range []struct {
		op     option.Op
		kind   option.Kind
		mode   option.Mode
		change func(*result.Parameters)
		want   bool
	}{
		{"write", option.KindBandwidth, "poll", nil, false},
		{"write", option.KindBandwidth, "poll", func(p *result.Parameters) { p.WriteWithImm = true }, true},
		{"write", option.KindBandwidth, "poll", func(p *result.Parameters) { p.Verify = true }, true},
		{"write", option.KindBandwidth, "poll", func(p *result.Parameters) { p.Compare = true }, true},
		{"write", option.KindLatency, "data", nil, false}, {"write", option.KindLatency, "poll", nil, true},
		{"send", option.KindBandwidth, "poll", nil, true}, {"read", option.KindLatency, "poll", nil, false}, {"atomic", option.KindBandwidth, "poll", nil, false},
	} {
		f := testresult.File(t, c.op, c.kind, []int{8}, c.mode)
		f.Parameters.Plan, f.Parameters.Modes = option.Defaults(option.Test{Op: c.op, Kind: c.kind}).Resolve(), []option.Mode{c.mode}
		if c.change != nil {
			c.change(&f.Parameters)
		}
		if shown := strings.Contains(fullText(t, false, f), " RX depth "); shown != c.want {
			t.Errorf("%s_%s in mode %s: the depth is shown: %v", c.op, c.kind, c.mode, shown)
		}
	}
}

// In a bidirectional test, #iterations counts what this side sends or READs, as in perftest, and the
// rates are those of both directions.
func TestIterationsOfBothDirections(t *testing.T) {
	for _, c := range []struct {
		op    option.Op
		role  string
		known bool // what went in each direction
		want  string
	}{
		{"write", "client", true, "600"}, {"write", "server", true, "400"}, {"send", "client", true, "600"},
		{"read", "client", true, "400"}, {"read", "server", true, "600"},
		{"write", "client", false, "500"},
	} {
		f := testresult.File(t, c.op, option.KindBandwidth, []int{64}, "poll")
		f.Parameters.Compare, f.Parameters.Both, f.Role = false, true, c.role
		if c.known {
			f.Rows[0].FromClient, f.Rows[0].FromServer = &result.Direction{Messages: 600}, &result.Direction{Messages: 400}
		}
		rate := f.Rows[0].Bandwidth.MsgRate
		var streamed bytes.Buffer
		text := New(&streamed, f, Style{})
		text.Interval(f.Rows[0])
		text.Row(f.Rows[0])
		for how, out := range map[string]string{"as it goes": streamed.String(), "of the file": fullText(t, false, f)} {
			for _, m := range counts.FindAllStringSubmatch(out, -1) {
				if m[1] != c.want {
					t.Errorf("%+v, %s: #iterations is %s", c, how, m[1])
				}
			}
			if !counts.MatchString(out) {
				t.Errorf("%+v, %s: no row\n%s", c, how, out)
			}
		}
		if b := f.Rows[0].Bandwidth; b.Messages != 1000 || b.MsgRate != rate {
			t.Errorf("%+v: the row was changed to %+v", c, b)
		}
	}
}
