package option

import (
	"slices"
	"time"
)

// Op is the operation that a test is about.
type Op string

// The operations; their properties are in the table of operations.go.
const (
	OpWrite  Op = "write"
	OpSend   Op = "send"
	OpRead   Op = "read"
	OpAtomic Op = "atomic"
)

// Kind is the quantity that a test measures.
type Kind string

// The kinds.
const (
	KindLatency   Kind = "lat"
	KindBandwidth Kind = "bw"
)

// Test is an operation and the measured quantity: one for each program.
type Test struct {
	Op   Op
	Kind Kind
}

// Tests returns all tests.
func Tests() []Test {
	var all []Test
	for _, op := range Ops() {
		all = append(all, Test{op, KindBandwidth}, Test{op, KindLatency})
	}
	return all
}

// TestOf returns the test of a program, by the program's name.
func TestOf(program string) (Test, bool) {
	all := Tests()
	i := slices.IndexFunc(all, func(t Test) bool { return t.Program() == program })
	if i < 0 {
		return Test{}, false
	}
	return all[i], true
}

// Program returns the name of the test's program, such as "ib_write_bw".
func (t Test) Program() string { return "ib_" + string(t.Op) + "_" + string(t.Kind) }

// Bandwidth reports whether the test measures bandwidth, and not latency.
func (t Test) Bandwidth() bool { return t.Kind == KindBandwidth }

// Fetches reports whether the requester gets data from the peer, by READs or atomic operations.
func (t Test) Fetches() bool { return t.Op.Fetches() }

// Atomic reports whether the test is of atomic operations, which are on 8 bytes.
func (t Test) Atomic() bool { return t.Op == OpAtomic }

// Title returns what the test measures, as a text.
func (t Test) Title() string {
	what := "latency"
	if t.Bandwidth() {
		what = "bandwidth"
	}
	return what + " of RDMA " + string(t.Op) + " operations"
}

// AtomicType is an atomic operation, in perftest's spelling.
type AtomicType string

// The atomic operations. On 8 bytes at the peer, which come back as they were before,
// CMP_AND_SWAP stores a number if they equal another one, FETCH_AND_ADD adds a number.
const (
	CmpAndSwap  AtomicType = "CMP_AND_SWAP"
	FetchAndAdd AtomicType = "FETCH_AND_ADD"
)

// AtomicBytes is the size of an atomic operation.
const AtomicBytes = 8

// Mode is a completion mode: how the receiver detects that a message has arrived.
type Mode string

// The completion modes. ModeAuto is data where the device's promise covers the message,
// else poll.
const (
	ModeDefault  Mode = ""         // auto in a comparison, else perftest's
	ModeAuto     Mode = "auto"     // data or poll
	ModeData     Mode = "data"     // spin on the data itself
	ModePoll     Mode = "poll"     // spin on the completion queue
	ModeCounter  Mode = "counter"  // spin on a completion counter of the device, which counts the peer's WRITEs
	ModeAdaptive Mode = "adaptive" // spin on the completion queue, then sleep as event does
	ModeEvent    Mode = "event"    // sleep until a completion event
)

// Modes returns the completion modes that are measured, in the order of every table and plot.
// [ModeAuto] becomes one of them.
func Modes() []Mode { return []Mode{ModeData, ModePoll, ModeCounter, ModeAdaptive, ModeEvent} }

// Touch is an access of the receiver to every cache line of a message after the message has arrived,
// within the measured time.
type Touch string

// The touches. TouchDefault is read in a comparison and none otherwise.
const (
	TouchDefault Touch = ""
	TouchNone    Touch = "none"
	TouchRead    Touch = "read"
	TouchWrite   Touch = "write"
)

// Variant is a completion mode with one change, which a comparison measures in rows of its own.
type Variant string

// The variants. The empty one is the mode as it is.
const (
	VariantRelaxed Variant = "relaxed" // poll, with memory registered for relaxed ordering
	VariantLook    Variant = "look"    // data that also polls the CQ now and then, which sees failures
	VariantFlag    Variant = "flag"    // data whose receiver spins on a flag, written by a second WRITE
	VariantOOO     Variant = "ooo"     // poll, on QPs with out-of-order placement
	VariantControl Variant = "control" // poll once more on QPs of its own, in every comparison: the noise floor

	// VariantSameCPU is event with the threads of both sides on one CPU, in comparisons of two sides on one
	// host.
	VariantSameCPU Variant = "same-cpu"
)

// Variants returns the variants that may be requested.
func Variants() []Variant { return []Variant{VariantRelaxed, VariantLook, VariantFlag, VariantOOO} }

// RowVariants returns the variants that rows may have, without the empty one.
func RowVariants() []Variant { return append(Variants(), VariantSameCPU, VariantControl) }

// Routing is an answer to whether the switches between both sides route adaptively, so that each chooses the
// output port of a packet by the load of its ports. No verb has the answer, so it is the user's.
type Routing string

// The answers.
const (
	RoutingUnknown  Routing = "unknown"
	RoutingAdaptive Routing = "yes"
	RoutingStatic   Routing = "no"
)

// RateUnit is the unit of a rate limit, by perftest's letter.
type RateUnit string

// The units of a rate limit.
const (
	RateGbit     RateUnit = "g" // 10^9 bits a second
	RateMiB      RateUnit = "M" // 2^20 bytes a second
	RateMessages RateUnit = "p" // messages a second
)

// Arrivals is a distribution of the times at which the messages of a latency test with a rate are due.
type Arrivals string

// The arrivals.
const (
	ArrivalsConstant Arrivals = "constant" // at equal distances
	ArrivalsPoisson  Arrivals = "poisson"  // at exponentially distributed distances
)

// Plan holds the options that both sides follow. [Plan.Resolve] or the device decides values that
// are left open: 0, "" or -1 where a field says so.
type Plan struct {
	Test

	Sizes      []int // bytes
	Transport  Transport
	Multicast  bool          // messages go to multicast groups
	MGID       string        // the server's group; empty: one with a random number
	UseSRQ     bool          // one shared receive queue in place of those of the QPs
	Iterations uint64        // messages of a row and QP
	Duration   time.Duration // of a row; Iterations and Duration exclude each other
	QPs        int           // at least Threads
	Threads    int           // measuring threads of each side, over which the QPs are distributed
	AtomicType AtomicType
	Outs       int // maximum of outstanding READs or atomic operations of a QP; 0: as many as both devices allow
	TxDepth    int
	RxDepth    int
	CQMod      int // one send in CQMod is signaled; 0: perftest's rule

	Endless  bool // runs until stopped, in intervals of Duration
	Both     bool // messages go in both directions at once
	Reversed bool // the server sends

	RateLimit float64  // in RateUnits; 0: none
	RateUnits RateUnit // ""; RateGbit
	Burst     int      // messages at a time, with RateLimit; 0: as many as the rate sends in 1 ms, at most TxDepth
	Arrivals  Arrivals // in a latency test with RateLimit

	PostList           int // messages of one ibv_post_send; 0: as many as there is room for; -1: the default
	RecvPostList       int // receives of one ibv_post_recv; 0: as many as are free
	MTU                int // bytes; 0: the largest that both ports allow
	RDMACM             bool
	TOS                int // of packets, with RDMACM; -1: the system's default
	TClass             int // of the GRH; on RoCE its upper six bits are the DSCP
	Inline             int // bytes; -1: the test's default, limited by the device
	Offset             int // bytes between an aligned 128-byte block and the message
	Gap                time.Duration
	NoPeak             bool // the clock is not read in the loop: only the mean or average is measured
	DisablePCIeRelaxed bool // no memory is registered with relaxed ordering

	Margin time.Duration // of warm-up before each row; at least the engine's minimum

	// The path of packets.
	SL         int   // service level
	FlowLabels []int // in the GRH, which the QPs take in turn; nil: 0
	QPTimeout  int   // a packet is sent again after 4.096 us << QPTimeout
	RetryCount int   // times that a packet is sent again before the QP fails
	IPv6       bool  // GIDs of IPv6 addresses are preferred
	Routing    Routing

	// Opcodes, polling and memory.
	WriteWithImm bool // and SendWithImm: messages have immediate data, and consume a receive
	SendWithImm  bool
	CQEPoll      int  // maximum number of completions per ibv_poll_cq
	NoLock       bool // QPs are in a thread domain
	MRPerQP      bool // each QP has a separate memory region
	InOrder      bool // no QP has out-of-order placement
	OldPostSend  bool // requests are posted by ibv_post_send on all devices
	ODP          bool // memory is registered for on-demand paging
	HugePages    bool

	Completion Mode
	Spin       Spin // of mode adaptive
	Compare    bool // every available completion mode, in rounds
	Touch      Touch
	Verify     bool
	ForceData  bool

	Also      []Variant     // further rows of a comparison
	Rounds    int           // of each row in a run; 0: the default
	Runs      int           // on fresh QPs, memory and connections; 0: the default
	Seed      int           // of the order of sizes and modes in a comparison; 0: chosen by the client
	Precision float64       // requested half width of the intervals of ratios, relative; 0: none
	TimeLimit time.Duration // of a run with Precision; 0: the default

	// Devices is the number of devices of each side, each with the QPs and Threads of the plan. It is not an option: -d
	// lists the client's devices.
	Devices int

	// Perftest describes the other side if it is perftest; nil: it is ibperf. It is not an option.
	Perftest *Perftest
}

// OpenLoop reports whether messages are sent at the times of a schedule, whether or not earlier ones were answered:
// a latency test with a rate.
func (p *Plan) OpenLoop() bool { return p.Kind == KindLatency && p.RateLimit > 0 }

// AllThreads returns the number of measuring threads of a side, on all of its devices.
func (p *Plan) AllThreads() int { return max(1, p.Devices) * p.Threads }

// MessageRate returns the rate limit in messages of a size per second.
func (p *Plan) MessageRate(size int) float64 {
	switch p.RateUnits {
	case RateMessages:
		return p.RateLimit
	case RateMiB:
		return p.RateLimit * (1 << 20) / float64(size)
	}
	return p.RateLimit * 1e9 / 8 / float64(size)
}

// rateIs reports whether a rate limit has a property for some message size.
func (p *Plan) rateIs(bad func(perSecond float64) bool) bool {
	return p.RateLimit > 0 && slices.ContainsFunc(p.Sizes, func(size int) bool { return bad(p.MessageRate(size)) })
}

// AllQPs returns the number of QPs of a mode, on all devices of a side.
func (p *Plan) AllQPs() int { return max(1, p.Devices) * p.QPs }

// openLoopDepth is the number of messages of an open loop that may be sent and not answered, in place of a TxDepth of 1.
const openLoopDepth = 128

// Defaults returns the plan of a test without any option.
func Defaults(t Test) Plan {
	p := Plan{Test: t, QPs: 1, Threads: 1, Devices: 1, TxDepth: 128, RxDepth: 512, QPTimeout: 14, RetryCount: 7, TOS: -1, CQEPoll: 64, PostList: -1, Spin: Spin{Polls: defaultSpinPolls}, Sizes: []int{65536}, AtomicType: FetchAndAdd, Transport: RC, Routing: RoutingUnknown, Arrivals: ArrivalsConstant}
	if !t.Bandwidth() {
		p.Sizes, p.TxDepth, p.Inline = []int{2}, 1, -1
	}
	if t.Atomic() {
		p.Sizes = []int{AtomicBytes}
	}
	return p
}

// Limits of a plan.
const (
	MaxSize       = 1<<31 - 1
	MaxDepth      = 15000
	MaxList       = 4096
	MaxQPs        = 16384
	MaxThreads    = 1024
	MaxDevices    = 16
	maxModes      = 10 // modes of a comparison with its variants, each with QPs of its own
	MaxCQMod      = 1024
	MaxOuts       = 255 // the largest 8-bit attribute of a QP
	MaxInline     = 1024
	MinIterations = 5
	MaxIterations = 1 << 32
	MaxRounds     = 10000
	MaxRuns       = 1000
	MaxSeed       = 1<<31 - 1
	MaxGap        = time.Minute
	MaxTime       = 1000 * time.Hour
	maxSizes      = 64
)

// AllSizes returns perftest's sizes of -a: the powers of two from 2 to 8 MiB.
func AllSizes() []int {
	var s []int
	for i := 1; i <= 23; i++ {
		s = append(s, 1<<i)
	}
	return s
}
