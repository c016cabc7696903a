// Package harness is the engine of the benchmarks: the plan, the two sides, the
// timed loops in their completion modes, and the statistics. It knows no flags
// and no sockets and prints nothing: it takes an opened device and an
// [oob.Peer], and fills a result file.
package harness

import (
	"time"

	"github.com/ibperf/ibperf/reports/result"
)

// Op is the operation that a test is about.
type Op string

// The operations.
const (
	OpWrite Op = "write"
	OpSend  Op = "send"
	OpRead  Op = "read"
)

// Mode is a way to learn that data has arrived.
type Mode string

// The completion modes. ModeAuto is data where the device's promise covers the
// message, else poll.
const (
	ModeAuto  Mode = "auto"
	ModeData  Mode = "data"  // spin on the data itself
	ModePoll  Mode = "poll"  // spin on the completion queue
	ModeEvent Mode = "event" // sleep on a completion event
)

// Touch is what a receiver does with every 64 bytes of a message once it knows that the
// message is there. It is part of what is measured.
type Touch string

// The touches. TouchDefault is read in a comparison and none otherwise.
const (
	TouchDefault Touch = ""
	TouchNone    Touch = "none"
	TouchRead    Touch = "read"
	TouchWrite   Touch = "write"
)

// Further rows of a comparison.
const (
	AlsoRelaxed = "relaxed" // poll, into memory with relaxed ordering, which data mode must do without
	AlsoLook    = "look"    // data, with a look at the CQ every so often, which sees failures
	AlsoControl = "control" // data and poll once more, on QPs of their own: what no difference looks like
)

// Plan is what both sides do. The client makes it and the server adopts it.
type Plan struct {
	Op         Op            `json:"op"`
	Kind       string        `json:"kind"` // result.KindLatency or result.KindBandwidth
	Completion Mode          `json:"completion"`
	Compare    bool          `json:"compare"` // every mode that is available, in rounds
	Also       []string      `json:"also"`    // further rows of a comparison
	Touch      Touch         `json:"touch"`
	Rounds     int           `json:"rounds"`     // of each row; 0: the default
	Runs       int           `json:"runs"`       // on fresh QPs, memory and connections
	Precision  float64       `json:"precision"`  // half the width that intervals of ratios are to have, relative; 0: none
	TimeLimit  time.Duration `json:"time_limit"` // of a run that goes on for its precision; 0: the default
	Sizes      []int         `json:"sizes"`      // bytes
	Iterations uint64        `json:"iterations"` // messages of a row and QP
	Duration   time.Duration `json:"duration"`   // of a row; replaces Iterations if not 0
	Gap        time.Duration `json:"latency_gap"`
	QPs        int           `json:"qps"`
	TxDepth    int           `json:"tx_depth"`
	RxDepth    int           `json:"rx_depth"`
	CQMod      int           `json:"cq_mod"` // one send completion for so many messages; 0: perftest's rule
	Inline     int           `json:"inline"` // bytes; -1: the test's default as far as the device allows
	Offset     int           `json:"offset"` // bytes between an aligned 128-byte block and the message
	MTU        int           `json:"mtu"`    // bytes; 0: the largest that both ports allow
	Workers    int           `json:"workers"`
	Both       bool          `json:"both"` // bandwidth in both directions at once
	Verify     bool          `json:"verify"`
	NoPeak     bool          `json:"no_peak"` // the clock is not read in the loop: no peak, no percentiles
	ForceData  bool          `json:"force_data"`
	RDMACM     bool          `json:"rdma_cm"`              // QPs are connected through rdma_cm
	StrictPCIe bool          `json:"disable_pcie_relaxed"` // no memory is registered with relaxed ordering
}

// Defaults returns perftest's defaults of a test.
func Defaults(op Op, kind string) Plan {
	p := Plan{
		Op: op, Kind: kind, Completion: defaultMode(op, kind), Iterations: 1000,
		Runs: 1, QPs: 1, Workers: 1, RxDepth: 512, Inline: -1,
	}
	if kind == result.KindLatency {
		p.Sizes, p.TxDepth = []int{2}, 1
		return p
	}
	p.Sizes, p.TxDepth, p.Inline = []int{65536}, 128, 0
	p.Iterations = defaultIterations(op)
	return p
}

// Defaults of a comparison.
const (
	DefaultRounds    = 20
	DefaultTimeLimit = time.Minute
	compareDuration  = 200 * time.Millisecond // of a row, in all its rounds
)

// rounds is how many rounds a row has.
func (p *Plan) rounds() int {
	n := 1
	switch {
	case p.Rounds > 0:
		n = p.Rounds
	case p.Compare:
		n = DefaultRounds
	}
	if p.Duration > 0 {
		return n
	}
	return int(min(uint64(n), max(1, p.Iterations/2))) // a rate takes two messages
}

// touch is what receivers do with messages.
func (p *Plan) touch() Touch {
	switch {
	case p.Touch != TouchDefault:
		return p.Touch
	case p.Compare:
		return TouchRead
	}
	return TouchNone
}

func (p *Plan) timeLimit() time.Duration {
	if p.TimeLimit > 0 {
		return p.TimeLimit
	}
	return DefaultTimeLimit
}

// CompareByTime makes the plan one of rows of the default duration.
func (p *Plan) CompareByTime() { p.Iterations, p.Duration = 0, compareDuration }

// AllSizes returns perftest's sizes of -a: the powers of two from 2 to 8 MiB.
func AllSizes() []int {
	var s []int
	for i := 1; i <= 23; i++ {
		s = append(s, 1<<i)
	}
	return s
}
