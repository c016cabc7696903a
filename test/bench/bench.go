package main

import (
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// A bench is a test of ibperf with its parameters.
type bench struct {
	option.Test
	size      int         // bytes
	mode      option.Mode // completion mode
	metric    string      // comparison.MetricLatency, ...
	iters     int         // measured messages of each QP; 0: the program's default
	qps       int
	txDepth   int
	transport string // option of both sides: "-c UD", "--use-srq"; "": RC
}

// test returns the part that both programs have in their names, such as "write_lat" of ib_write_lat.
func (b bench) test() string { return strings.TrimPrefix(b.Program(), "ib_") }

// title returns test with the parameters that are unusual.
func (b bench) title() string {
	switch {
	case b.usesDefaults():
		return b.test() + " (defaults)"
	case b.qps > 1:
		return fmt.Sprintf("%s -q %d", b.test(), b.qps)
	case b.transport != "":
		return b.test() + " " + b.transport
	}
	return b.test()
}

// String returns title, size and completion mode.
func (b bench) String() string {
	return b.title() + ", " + units.Size(b.size) + ", " + string(b.mode)
}

// usesDefaults reports whether both programs get no option except device and port.
func (b bench) usesDefaults() bool { return b.iters == 0 }

// isOfWholeRun reports whether a metric describes a whole run. Programs do not print those; bench measures
// them.
func isOfWholeRun(metric string) bool {
	return metric == comparison.MetricWall || metric == comparison.MetricMemory
}

// rxDepth returns perftest's default, which is 1 for tests without receives.
func (b bench) rxDepth() int {
	if b.Op == option.OpSend {
		return 512
	}
	return 1
}

// cqMod returns N of "one signaled send in N", by perftest's rule. In mode event N is 10 also for large
// messages: perftest polls at most 16 completions per event, then sleeps, and does not wake up if more
// than 16 were queued.
func (b bench) cqMod() int {
	switch {
	case b.size > 8192 && b.mode == option.ModeEvent:
		return 10
	case b.size > 8192:
		return 1
	}
	return min(100, b.txDepth)
}

// parameters returns the options that ibperf and perftest get, by name.
func (b bench) parameters(s setup) map[string]int {
	if b.usesDefaults() {
		return nil
	}
	p := map[string]int{"iters": b.iters}
	if !s.embedded() {
		p["mtu"], p["gid-index"] = s.mtu, s.gidIndex
		if !b.Fetches() {
			p["inline_size"] = 0
		}
	}
	if b.Kind == option.KindBandwidth {
		p["tx-depth"], p["rx-depth"], p["qp"], p["cq-mod"] = b.txDepth, b.rxDepth(), b.qps, b.cqMod()
	}
	return p
}

func latency(op option.Op, size int, mode option.Mode, iters int) bench {
	return bench{option.Test{Op: op, Kind: option.KindLatency}, size, mode, comparison.MetricLatency, iters, 1, 1, ""}
}

// bandwidth returns a bandwidth test. Its metric is bytes per second for large messages, and messages per
// second for small ones.
func bandwidth(op option.Op, size int, mode option.Mode, iters int) bench {
	b := bench{option.Test{Op: op, Kind: option.KindBandwidth}, size, mode, comparison.MetricBandwidth, iters, 1, 128, ""}
	if size < 1024 {
		b.metric = comparison.MetricRate
	}
	return b
}

// withTransport returns the bench with QPs of another transport, or with an SRQ.
func withTransport(transport string, b bench) bench {
	b.transport = transport
	return b
}
