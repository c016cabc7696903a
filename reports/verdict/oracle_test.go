package verdict

import (
	"math"
	"slices"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// An oracle judges pairs of rows by simple code of its own.
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
					o.broken[string(f.Op)+" at "+host] = true
				}
			}
		}
	}
	return o
}

// waitingHosts returns the hosts that wait for messages. All random files have one device on each host.
func waitingHosts(f *result.File) []string {
	client, server := f.Local.Host, f.Peer.Host
	if f.Role == "server" {
		client, server = server, client
	}
	switch {
	case f.Op == "read":
		return []string{client}
	case f.Kind == option.KindLatency:
		return []string{client, server}
	}
	return []string{server}
}

// breaks reports whether data of the run's operation was corrupt on a host that waits.
func (o oracle) breaks(f *result.File) bool {
	return slices.ContainsFunc(waitingHosts(f), func(host string) bool { return o.broken[string(f.Op)+" at "+host] })
}

// untrusted reports whether data was corrupt after a completion on a host that waits.
func (o oracle) untrusted(f *result.File) bool {
	return slices.ContainsFunc(waitingHosts(f), func(host string) bool { return o.wrong[host] })
}

// figure returns the number by which rounds of a kind are compared.
func figure(kind option.Kind, r result.Round) float64 {
	if kind == option.KindLatency {
		return r.P50Ns
	}
	return r.Average
}

// ratioOf returns the ratio of two rows of a size. Both ends move outwards by the ratio of a control
// that excludes 1.
func (o oracle) ratioOf(f *result.File, a, b result.Row) confidence.Estimate {
	r := o.ownRatio(f.Kind, a, b)
	for _, c := range f.Rows {
		if c.Variant != "control" || c.Size != a.Size {
			continue
		}
		by := o.ownRatio(f.Kind, c, rowAt(f, a.Size, "poll"))
		if !by.Enough || by.Low <= 1 && by.High >= 1 {
			continue
		}
		factor := math.Max(by.Value, 1/by.Value)
		r.Low, r.High = r.Low/factor, r.High*factor
	}
	return r
}

// ownRatio pairs the n-th round of each run of one row with that of another.
func (o oracle) ownRatio(kind option.Kind, a, b result.Row) confidence.Estimate {
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
	return confidence.OfRatio(as, bs, runs)
}

// fit returns the rows of a size that may be recommended.
func (o oracle) fit(f *result.File, size int) map[option.Mode]result.Row {
	rows := map[option.Mode]result.Row{}
	for _, r := range f.Rows {
		if r.Size == size && r.Variant == "" && !r.Forced && !(o.breaks(f) && r.Mode == "data") {
			rows[r.Mode] = r
		}
	}
	return rows
}

// words returns the words of a curve at each size: "faster", "slower", "same" or "unclear". There are none where
// rows are not compared.
func words(f *result.File, mode, base option.Mode) map[int]string {
	g := rows.Groups([]*result.File{f})[0]
	curve := rows.CurveOf(result.ColumnOf(g.ComparedFields()[0]), g.Lines()[0], string(mode), string(base))
	all := map[int]string{}
	if curve != nil {
		for _, p := range curve.Points {
			all[p.Size] = p.Relation.String()
		}
	}
	return all
}

// hardlySlept reports whether a row of mode event does not measure wake-ups: a side that waits slept
// for fewer than 9 of 10 messages of a ping-pong, or of 10 full queues of 16 messages in a stream, or
// kept its core as busy as a spinning thread.
func (o oracle) hardlySlept(f *result.File, r result.Row) bool {
	sleeps, busy := waitingOf(f, r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage), waitingBusy(f, r)
	for i := range sleeps {
		switch {
		case r.Mode != "event":
		case f.Kind == option.KindLatency && sleeps[i] < 0.9, f.Kind == option.KindBandwidth && (16*sleeps[i] < 0.9 || busy[i] >= 0.95):
			return true
		}
	}
	return false
}

// disturbing lists the warnings that make a ratio doubtful, harmless others.
var (
	disturbing = []result.WarningID{"preempted", "clock-drift", "one-direction", "clocks-apart", "short-run", "broken-off"}
	harmless   = []result.WarningID{"few-samples", "few-sleeps", "lost", "sender-rate", "fewer-receives", "above-rate-limit", "below-rate-limit"}
)

// disturbed reports whether one of two rows was.
func (o oracle) disturbed(a, b result.Row) bool {
	return slices.ContainsFunc(slices.Concat(a.Warnings, b.Warnings), func(w result.Warning) bool { return slices.Contains(disturbing, w.ID) })
}

// A said is what a conclusion says about some sizes: the relation of a mode to another.
type said struct {
	mode, base option.Mode
	how        string
}

// expected returns the sizes of a run for each conclusion.
func (o oracle) expected(f *result.File) map[said][]int {
	all := map[said][]int{}
	if f.Parameters.Verify || o.untrusted(f) {
		return all
	}
	for _, p := range [][2]option.Mode{{"data", "poll"}, {"adaptive", "poll"}, {"event", "poll"}, {"adaptive", "data"}, {"event", "data"}, {"event", "adaptive"}} {
		relations := words(f, p[0], p[1])
		for _, size := range f.Parameters.Sizes {
			rows := o.fit(f, size)
			a, hasA := rows[p[0]]
			b, hasB := rows[p[1]]
			_, poll := rows["poll"]
			_, data := rows["data"]
			is := relations[size]
			switch {
			case !hasA || !hasB || p[1] != "poll" && poll || p[1] == "adaptive" && data || is == "":
				continue
			case o.disturbed(a, b):
				is = "disturbed"
			case is == "same" && p[0] != "data" && slices.Max(waitingBusy(f, a)) <= 0.75*slices.Min(waitingBusy(f, b)):
				is = "saves"
			}
			all[said{p[0], p[1], is}] = append(all[said{p[0], p[1], is}], size)
		}
	}
	return all
}
