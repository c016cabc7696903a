package option

import (
	"slices"
	"time"
)

// Op is the operation that a test is about.
type Op string

// The operations.
const (
	OpWrite  Op = "write"
	OpSend   Op = "send"
	OpRead   Op = "read"
	OpAtomic Op = "atomic"
)

// The kinds of a test.
const (
	KindLatency   = "lat"
	KindBandwidth = "bw"
)

// Test is an operation and what is measured of it: one for each program.
type Test struct {
	Op   Op
	Kind string // KindLatency or KindBandwidth
}

// Tests are all of them.
func Tests() []Test {
	var all []Test
	for _, op := range []Op{OpWrite, OpSend, OpRead, OpAtomic} {
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

// Program is the name of the test's program, such as "ib_write_bw".
func (t Test) Program() string { return "ib_" + string(t.Op) + "_" + t.Kind }

// Bandwidth tells tests of bandwidth from those of latency.
func (t Test) Bandwidth() bool { return t.Kind == KindBandwidth }

// Fetches tells tests whose requester gets data from the peer: READs and atomic operations.
func (t Test) Fetches() bool { return t.Op == OpRead || t.Op == OpAtomic }

// Atomic tells tests of atomic operations, which are on 8 bytes.
func (t Test) Atomic() bool { return t.Op == OpAtomic }

// Title says what the test measures.
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

// Mode is a way to learn that data has arrived.
type Mode string

// The completion modes. ModeAuto is data where the device's promise covers the message,
// else poll.
const (
	ModeDefault Mode = ""     // auto in a comparison, else perftest's
	ModeAuto    Mode = "auto" // data or poll
	ModeData    Mode = "data" // spin on the data itself
	ModePoll    Mode = "poll" // spin on the completion queue
	ModeEvent   Mode = "event"
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

// RateUnit is what a rate limit counts, by perftest's letters.
type RateUnit string

// The units of a rate limit.
const (
	RateGbit     RateUnit = "g" // 10^9 bits a second
	RateMiB      RateUnit = "M" // 2^20 bytes a second
	RateMessages RateUnit = "p" // messages a second
)

// Plan is what both sides do. What is not said (0, "" or -1 where that stands for a
// default) is decided by [Plan.Resolve], or by the device.
type Plan struct {
	Test

	Sizes      []int // bytes
	Transport  Transport
	Multicast  bool          // messages go to groups
	MGID       string        // the server's group; empty: one with a random number
	UseSRQ     bool          // one shared receive queue in place of those of the QPs
	Iterations uint64        // messages of a row and QP
	Duration   time.Duration // of a row; Iterations and Duration exclude each other
	QPs        int
	AtomicType AtomicType
	Outs       int // READs and atomic operations of a QP that are outstanding; 0: what both devices allow
	TxDepth    int
	RxDepth    int
	CQMod      int // one send completion for so many messages; 0: perftest's rule

	Endless  bool // until stopped; Duration is that of an interval
	Both     bool // messages go in both directions at once
	Reversed bool // the server sends

	RateLimit float64  // in RateUnits; 0: none
	RateUnits RateUnit // ""; RateGbit
	Burst     int      // messages at a time, with RateLimit; 0: those of 1 ms, at most TxDepth

	PostList     int // messages of one ibv_post_send; 0: as many as there is room for
	RecvPostList int // receives of one ibv_post_recv; 0: as many as are free
	MTU          int // bytes; 0: the largest that both ports allow
	RDMACM       bool
	TOS          int // of packets, with RDMACM; -1: the system's default
	TClass       int // of the GRH; on RoCE its upper six bits are the DSCP
	Inline       int // bytes; -1: the test's default as far as the device allows
	Offset       int // bytes between an aligned 128-byte block and the message
	Gap          time.Duration
	NoPeak       bool // the clock is not read in the loop: no peak, no percentiles
	StrictPCIe   bool // no memory is registered with relaxed ordering

	Margin time.Duration // of warm-up before each row; what is shorter than the engine's is that

	// How packets go.
	SL         int   // service level
	FlowLabels []int // of the GRH, which the QPs take in turn; nil: 0
	QPTimeout  int   // 4.096 us << QPTimeout until a packet is repeated
	RetryCount int   // repetitions until the peer counts as gone
	IPv6       bool  // GIDs of IPv6 addresses come first

	// What carries messages, and what they lie in.
	WriteWithImm bool // and SendWithImm: messages carry immediate data, and take a receive
	SendWithImm  bool
	CQEPoll      int  // completions that are taken at a time, at most
	NoLock       bool // QPs are in a thread domain
	MRPerQP      bool // each QP's messages are in a memory region of their own
	ODP          bool // memory is registered for on-demand paging
	HugePages    bool

	Completion Mode
	Compare    bool // every mode that is available, in rounds
	Touch      Touch
	Verify     bool
	ForceData  bool

	Also      []string      // further rows of a comparison
	Rounds    int           // of each row; 0: the default
	Runs      int           // on fresh QPs, memory and connections
	Precision float64       // half the width that intervals of ratios are to have, relative; 0: none
	TimeLimit time.Duration // of a run that goes on for its precision; 0: the default

	// Not offered as options: no peer can ask for them.
	Workers int
}

// Defaults returns the plan of a test of which nothing is said.
func Defaults(t Test) Plan {
	p := Plan{Test: t, Runs: 1, QPs: 1, Workers: 1, TxDepth: 128, RxDepth: 512, QPTimeout: 14, RetryCount: 7, TOS: -1, CQEPoll: 64, Sizes: []int{65536}, AtomicType: FetchAndAdd, Transport: RC}
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
	mostWays      = 8 // that a comparison has, each with QPs of its own
	MaxCQMod      = 1024
	MaxOuts       = 255 // what an 8-bit attribute of a QP holds
	MaxInline     = 1024
	MinIterations = 5
	MaxIterations = 1 << 32
	MaxRounds     = 10000
	MaxRuns       = 1000
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
