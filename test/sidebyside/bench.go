package main

import (
	"fmt"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// A bench is a test of ibperf with its parameters.
type bench struct {
	op, kind  string // "write", result.KindLatency
	size      int    // bytes
	arrival   string // how it is detected: "data", "poll" or "event"
	metric    string // comparison.MetricLatency, ...
	iters     int    // measured messages of each QP; 0: the program's default
	qps       int
	txDepth   int
	transport string // what both sides are told of it: "-c UD", "--use-srq"; "": RC
}

// test names the programs that measure it: ib_write_lat of both have "write_lat".
func (b bench) test() string { return b.op + "_" + b.kind }

// title is test with what is unusual about its parameters.
func (b bench) title() string {
	switch {
	case b.plain():
		return b.test() + " (defaults)"
	case b.qps > 1:
		return fmt.Sprintf("%s -q %d", b.test(), b.qps)
	case b.transport != "":
		return b.test() + " " + b.transport
	}
	return b.test()
}

// String names the bench in a line.
func (b bench) String() string {
	return b.title() + ", " + units.Size(b.size) + ", " + b.arrival
}

// plain tells a bench whose programs are told nothing but device and port.
func (b bench) plain() bool { return b.iters == 0 }

// ofRun tells metrics of whole runs, which no program prints.
func ofRun(metric string) bool {
	return metric == comparison.MetricWall || metric == comparison.MetricMemory
}

// fetches tells whether what is measured comes to who posts.
func (b bench) fetches() bool { return b.op == "read" || b.op == "atomic" }

// rxDepth is perftest's default, which where nothing is received is no option there.
func (b bench) rxDepth() int {
	if b.op == "send" {
		return 512
	}
	return 1
}

// cqMod is one send completion for so many messages, by perftest's rule. With events it
// is more for large messages too: perftest polls 16 completions for an event and then
// sleeps, and where there were more, for ever.
func (b bench) cqMod() int {
	switch {
	case b.size > 8192 && b.arrival == "event":
		return 10
	case b.size > 8192:
		return 1
	}
	return min(100, b.txDepth)
}

// parameters lists what ibperf is told, by the name of the option, and perftest too.
func (b bench) parameters(s setup) map[string]int {
	if b.plain() {
		return nil
	}
	p := map[string]int{"iters": b.iters}
	if !s.embedded() {
		p["mtu"], p["gid-index"] = s.mtu, s.gidIndex
		if !b.fetches() {
			p["inline_size"] = 0
		}
	}
	if b.kind == result.KindBandwidth {
		p["tx-depth"], p["rx-depth"], p["qp"], p["cq-mod"] = b.txDepth, b.rxDepth(), b.qps, b.cqMod()
	}
	return p
}

func latency(op string, size int, arrival string, iters int) bench {
	return bench{op, result.KindLatency, size, arrival, comparison.MetricLatency, iters, 1, 1, ""}
}

// bandwidth is told in bytes for large messages and in messages for small ones.
func bandwidth(op string, size int, arrival string, iters int) bench {
	b := bench{op, result.KindBandwidth, size, arrival, comparison.MetricBandwidth, iters, 1, 128, ""}
	if size < 1024 {
		b.metric = comparison.MetricRate
	}
	return b
}

// over is a bench whose QPs are of another transport, or share receives.
func over(transport string, b bench) bench {
	b.transport = transport
	return b
}
