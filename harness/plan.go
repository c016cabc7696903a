// Package harness is the engine of the benchmarks: the plan, the two sides, the
// timed loops in their completion modes, and the statistics. It knows no flags
// and no sockets and prints nothing: it takes an opened device and an
// [Exchanger], and fills a result file.
package harness

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
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

// Plan is what both sides do. The client makes it and the server adopts it.
type Plan struct {
	Op         Op            `json:"op"`
	Kind       string        `json:"kind"` // result.KindLatency or KindBandwidth
	Completion Mode          `json:"completion"`
	Compare    bool          `json:"compare"` // every mode that is available, one after another
	Sizes      []int         `json:"sizes"`   // bytes
	Iterations uint64        `json:"iterations"`
	Duration   time.Duration `json:"duration"` // of each measurement; replaces Iterations if not 0
	QPs        int           `json:"qps"`
	TxDepth    int           `json:"tx_depth"`
	RxDepth    int           `json:"rx_depth"`
	CQMod      int           `json:"cq_mod"` // one send completion for so many messages; 0: perftest's rule
	Inline     int           `json:"inline"` // bytes; -1: the test's default as far as the device allows
	Offset     int           `json:"offset"` // bytes between an aligned 128-byte block and the message
	MTU        int           `json:"mtu"`    // bytes; 0: the largest that both ports allow
	Verify     bool          `json:"verify"`
	NoPeak     bool          `json:"no_peak"` // the clock is not read in the loop: no peak, no percentiles
	ForceData  bool          `json:"force_data"`
	RDMACM     bool          `json:"rdma_cm"`              // QPs are connected through rdma_cm
	StrictPCIe bool          `json:"disable_pcie_relaxed"` // no memory is registered with relaxed ordering
}

// Limits of a plan.
const (
	MaxSize       = 1 << 30
	MaxDepth      = 15000
	MaxQPs        = 16384
	MaxCQMod      = 1024
	MaxInline     = 1024
	MinIterations = 5
	MaxIterations = 1 << 32
	maxSizes      = 64
)

// Defaults returns perftest's defaults of a test.
func Defaults(op Op, kind string) Plan {
	p := Plan{
		Op: op, Kind: kind, Completion: ModeAuto, Iterations: 1000,
		QPs: 1, RxDepth: 512, Inline: -1,
	}
	if kind == result.KindLatency {
		p.Sizes, p.TxDepth, p.Inline = []int{2}, 1, -1
		return p
	}
	p.Sizes, p.TxDepth, p.Inline = []int{65536}, 128, 0
	if op == OpWrite {
		p.Iterations = 5000
	}
	return p
}

// relaxes tells whether messages of the mode use memory that may be written in
// any order: where a rate is measured and arrival is not seen in memory. A
// completion tells that all of a message is there, whatever the order.
func (p *Plan) relaxes(mode Mode) bool {
	return p.Kind == result.KindBandwidth && mode != ModeData && !p.StrictPCIe
}

// txDepth is how many messages a QP may have on their way: no more than there are.
func (p *Plan) txDepth() int {
	if p.Duration > 0 {
		return p.TxDepth
	}
	return int(min(uint64(p.TxDepth), p.Iterations))
}

// rxDepth is how many receives a QP has posted at least, in the same way.
func (p *Plan) rxDepth() int {
	if p.Duration > 0 {
		return p.RxDepth
	}
	return int(min(uint64(p.RxDepth), p.Iterations))
}

// moderation is the distance of signaled requests in a bandwidth test: what was
// asked for, else perftest's.
func (p *Plan) moderation(size int) int {
	switch {
	case p.CQMod > 0:
		return p.CQMod
	case size > 8192:
		return 1
	}
	return 100
}

// AllSizes returns perftest's sizes of -a: the powers of two from 2 to 8 MiB.
func AllSizes() []int {
	var s []int
	for i := 1; i <= 23; i++ {
		s = append(s, 1<<i)
	}
	return s
}

// ParsePlan reads a plan that a peer sent, and checks it.
func ParsePlan(data []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("read the peer's plan: %w", err)
	}
	return p, p.Check()
}

// Check returns what is wrong with the plan, in the words of the options.
func (p *Plan) Check() error {
	switch {
	case p.Op != OpWrite && p.Op != OpSend && p.Op != OpRead:
		return fmt.Errorf("operation %q is not known", p.Op)
	case p.Kind != result.KindLatency && p.Kind != result.KindBandwidth:
		return fmt.Errorf("test kind %q is not known", p.Kind)
	case p.Completion != ModeAuto && p.Completion != ModeData && p.Completion != ModePoll && p.Completion != ModeEvent:
		return fmt.Errorf("--completion %s: choose auto, data, poll or event", p.Completion)
	case len(p.Sizes) == 0 || len(p.Sizes) > maxSizes:
		return fmt.Errorf("%d message sizes: 1 to %d are possible", len(p.Sizes), maxSizes)
	}
	for _, s := range p.Sizes {
		if s < 1 || s > MaxSize {
			return fmt.Errorf("--size %d: message sizes are 1 to %d bytes", s, MaxSize)
		}
	}
	return p.checkCounts()
}

func (p *Plan) checkCounts() error {
	if p.Duration < 0 || p.Duration > 0 && p.Duration < time.Second/1000 || p.Duration > 1000*time.Hour {
		return fmt.Errorf("--duration %v: a run lasts between 1ms and 1000h", p.Duration)
	}
	if p.Duration == 0 && (p.Iterations < MinIterations || p.Iterations > MaxIterations) {
		return fmt.Errorf("--iters %d: %d to %d are possible", p.Iterations, MinIterations, uint64(MaxIterations))
	}
	for _, c := range []struct {
		option          string
		value, min, max int
	}{
		{"--qp", p.QPs, 1, MaxQPs},
		{"--tx-depth", p.TxDepth, 1, MaxDepth},
		{"--rx-depth", p.RxDepth, 1, MaxDepth},
		{"--cq-mod", p.CQMod, 0, MaxCQMod},
		{"--inline_size", p.Inline, -1, MaxInline},
		{"--offset", p.Offset, 0, verbs.BlockSize - 1},
	} {
		if c.value < c.min || c.value > c.max {
			return fmt.Errorf("%s %d: %d to %d are possible", c.option, c.value, c.min, c.max)
		}
	}
	switch p.MTU {
	case 0, 256, 512, 1024, 2048, 4096:
	default:
		return fmt.Errorf("--mtu %d: choose 256, 512, 1024, 2048 or 4096", p.MTU)
	}
	if p.Kind == result.KindLatency && p.QPs != 1 {
		return fmt.Errorf("--qp %d: a latency test uses one QP", p.QPs)
	}
	return nil
}
