package main

import (
	"regexp"
	"slices"

	"github.com/ibperf/ibperf/reports"
)

// A bench is one thing that both programs measure: a line of the comparison.
type bench struct {
	op, kind string // "write", reports.KindLatency
	size     int    // bytes
	arrival  string // how it is detected: "data", "poll" or "event"
	metric   string // reports.MetricLatency, ...
	iters    int    // measured messages
}

// test names the programs that measure it: ib_write_lat of both have "write_lat".
func (b bench) test() string { return b.op + "_" + b.kind }

// String names the bench in a line.
func (b bench) String() string {
	return b.test() + ", " + reports.Size(b.size) + ", " + b.arrival
}

// The parameters that all benches share, perftest's defaults.
const (
	queuePairs = 1
	txDepth    = 128
	rxDepth    = 512
	inline     = 0 // bytes
)

// cqMod is one send completion for so many messages, by perftest's rule.
func (b bench) cqMod() int {
	if b.size > 8192 {
		return 1
	}
	return 100
}

// parameters lists what both programs are told, by the name of the option.
func (b bench) parameters(s setup) map[string]int {
	p := map[string]int{"iters": b.iters, "mtu": s.mtu, "gid-index": s.gidIndex}
	if b.op != "read" {
		p["inline_size"] = inline
	}
	if b.kind == reports.KindBandwidth {
		p["tx-depth"], p["qp"], p["cq-mod"] = txDepth, queuePairs, b.cqMod()
		if b.op == "send" {
			p["rx-depth"] = rxDepth
		}
	}
	return p
}

// goal is what the median ratio is to be at most, or at least: no worse than the
// reference.
const goal = 1

// benches are all of them. Iterations make a run take a second or two on an
// emulated machine.
var benches = []bench{
	bandwidth("write", 65536), bandwidth("write", 8),
	bandwidth("send", 65536), bandwidth("send", 8),
	bandwidth("read", 65536), bandwidth("read", 8),
	latency("write", 2, "data"), latency("write", 4096, "data"),
	latency("send", 2, "poll"), latency("send", 4096, "poll"),
	latency("read", 2, "poll"), latency("read", 4096, "poll"),
	latency("send", 2, "event"), latency("send", 4096, "event"),
	latency("read", 2, "event"), latency("read", 4096, "event"),
}

// matching returns the benches whose names match.
func matching(all []bench, only *regexp.Regexp) []bench {
	return slices.DeleteFunc(slices.Clone(all), func(b bench) bool { return !only.MatchString(b.String()) })
}

func latency(op string, size int, arrival string) bench {
	return bench{op, reports.KindLatency, size, arrival, reports.MetricLatency, 1000}
}

// bandwidth is told in bytes for large messages and in messages for small ones.
func bandwidth(op string, size int) bench {
	if size < 1024 {
		return bench{op, reports.KindBandwidth, size, "poll", reports.MetricRate, 10000}
	}
	return bench{op, reports.KindBandwidth, size, "poll", reports.MetricBandwidth, 500}
}
