package reports

import (
	"math"
	"slices"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/reports/result"
)

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

// relation is how a row stands to another: "faster", "slower", "alike", "not resolved", or
// empty where nothing may be concluded.
func (o oracle) relation(kind string, a, b result.Row) string {
	r := o.ratioOf(kind, a, b)
	if a.NoRatio != "" || b.NoRatio != "" || !r.Enough {
		return ""
	}
	low, median, high := r.Low, r.Median, r.High
	if kind == result.KindLatency { // of speeds
		low, high = 1/r.High, 1/r.Low
	}
	switch far := math.Abs(median-1) >= 0.03; {
	case low > 1 && far:
		return "faster"
	case high < 1 && far:
		return "slower"
	case r.Low >= 0.95 && r.High <= 1.05:
		return "alike"
	}
	return "not resolved"
}

// hardlySlept tells whether a row of mode event does not measure waking up: a side that waits
// slept for fewer than 9 of 10 messages of a ping-pong, or, in a stream, of 10 queues of 16
// messages, or had its core busy as one that spins.
func (o oracle) hardlySlept(f *result.File, r result.Row) bool {
	sleeps, busy := waitingOf(f, r.Local.SleepsPerMessage, r.Peer.SleepsPerMessage), waitingBusy(f, r)
	for i := range sleeps {
		switch {
		case r.Mode != "event":
		case f.Kind == result.KindLatency && sleeps[i] < 0.9, f.Kind == result.KindBandwidth && (16*sleeps[i] < 0.9 || busy[i] >= 0.95):
			return true
		}
	}
	return false
}

// disturbing are the warnings that make a ratio doubtful, harmless others.
var (
	disturbing = []string{"preempted", "clock-drift", "one-direction", "clocks-apart", "short-run", "broken-off"}
	harmless   = []string{"few-samples", "few-sleeps", "lost", "sender-rate", "fewer-receives", "above-rate-limit", "below-rate-limit"}
)

// disturbed tells whether one of two rows was.
func (o oracle) disturbed(a, b result.Row) bool {
	return slices.ContainsFunc(slices.Concat(a.Warnings, b.Warnings), func(w result.Warning) bool { return slices.Contains(disturbing, w.ID) })
}

// A said is what a clause may say of some sizes: how a mode stands to another.
type said struct{ mode, base, how string }

// expected are the sizes of a run of which each thing is to be said.
func (o oracle) expected(f *result.File) map[said][]int {
	all := map[said][]int{}
	if f.Parameters.Verify || o.worthless(f) {
		return all
	}
	for _, p := range [][2]string{{"data", "poll"}, {"event", "poll"}, {"event", "data"}} {
		var sizes []int
		var how []string
		for _, size := range f.Parameters.Sizes {
			rows := o.fit(f, size)
			a, hasA := rows[p[0]]
			b, hasB := rows[p[1]]
			if _, poll := rows["poll"]; !hasA || !hasB || p[1] == "data" && poll {
				continue
			}
			r := o.relation(f.Kind, a, b)
			switch {
			case r == "" || o.hardlySlept(f, a):
			case o.disturbed(a, b):
				all[said{p[0], p[1], "disturbed"}] = append(all[said{p[0], p[1], "disturbed"}], size)
			default:
				sizes, how = append(sizes, size), append(how, r)
			}
		}
		for i, size := range sizes {
			is := how[i]
			if i > 0 && i+1 < len(how) && how[i-1] == how[i+1] && how[i] != how[i-1] {
				if both := how[i] + how[i-1]; both != "fasterslower" && both != "slowerfaster" {
					is = "not resolved"
				}
			}
			all[said{p[0], p[1], is}] = append(all[said{p[0], p[1], is}], size)
		}
	}
	return all
}
