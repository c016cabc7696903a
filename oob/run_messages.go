package oob

import (
	"net/netip"
	"time"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Offer holds how a side's port can be addressed. From both offers both sides conclude the same
// kind of address.
type Offer struct {
	Link     verbs.LinkLayer  `json:"link"`
	NeedsGID bool             `json:"needs_gid"` // a LID is not enough, or the side was given a GID index
	Classes  []verbs.GIDClass `json:"classes"`   // of the GIDs that the side can use
	Peer     netip.Addr       `json:"peer"`      // the other side's address on the control channel
	Longest  uint32           `json:"longest"`   // the port's largest message, in bytes

	OutOfOrder bool `json:"out_of_order,omitempty"` // the side has QPs with out-of-order placement
	Counters   bool `json:"counters,omitempty"`     // the side has completion counters of the peer's WRITEs, one for each of its QPs
}

// Rendezvous holds where a server waits for connections by rdma_cm, and the token by which the
// server recognizes them.
type Rendezvous struct {
	Port  uint16 `json:"port"` // of the RDMA port space
	Token uint64 `json:"token"`
}

// Endpoint holds the address of a QP, and the addresses and keys of its memory.
type Endpoint struct {
	verbs.Endpoint
	Addr        uint64 `json:"addr"` // of the messages
	RKey        uint32 `json:"rkey"`
	RelaxedRKey uint32 `json:"relaxed_rkey"`           // of the same memory with relaxed ordering, for rows that use it
	Credits     uint64 `json:"credits"`                // address that the peer writes its number of consumed messages to
	CreditsRKey uint32 `json:"credits_rkey,omitempty"` // 0: RKey
	RecvQP      uint32 `json:"recv_qp,omitempty"`      // XRC: number of the QP that receives
	SRQ         uint32 `json:"srq,omitempty"`          // XRC: number of the SRQ that requests name
}

// Promise holds a side's device and what the device answers about the order of data. Its JSON names
// "kept" and "unlike" stay, so that sides of different releases work together.
type Promise struct {
	Side            result.Side `json:"side"`
	Order           verbs.Order `json:"order"`
	MaxScatterToCQE int         `json:"kept"`                // bytes; the device stores SENDs of up to this size in the CQE, and in memory once it is polled
	Boot            string      `json:"boot"`                // the kernel's boot_id, equal for two sides on one host
	CPUs            []int       `json:"cpus"`                // that the side may measure on
	MoreCPUs        [][]int     `json:"more_cpus,omitempty"` // the same for each further device of several

	Pinned bool `json:"pinned"` // to the first CPU of CPUs

	PathDifferences []string `json:"unlike,omitempty"` // differences between the path that rdma_cm chose and the side's options
}

// StepKind is the kind of a [Step]. It is sent as a string: "rest" stays for StepDrain, so that sides
// of different releases work together.
type StepKind string

// The kinds of a step.
const (
	StepRun   StepKind = "run"   // begin again with fresh QPs, memory and connections
	StepSize  StepKind = "size"  // prepare for messages of a size
	StepRound StepKind = "round" // measure one mode
	StepDrain StepKind = "rest"  // drain all QPs: the size is done
	StepRow   StepKind = "row"   // complete the rows of a size
	StepEnd   StepKind = "end"   // end the run
)

// Step is the client's instruction for both sides' next step.
type Step struct {
	Kind     StepKind      `json:"step"`
	Size     int           `json:"size"`               // index into the plan's sizes
	Mode     int           `json:"way"`                // index into the measured modes; on the wire modes are ways
	Warmup   bool          `json:"warmup"`             // the round is no part of the row
	Messages uint64        `json:"messages"`           // of each QP; 0: until Duration has passed
	Duration time.Duration `json:"duration"`           //
	NoRatio  string        `json:"no_ratio,omitempty"` // why the size's rows cannot be compared
	Limit    string        `json:"limit,omitempty"`    // with StepEnd: why intervals are wider than --precision
}

// Reading holds times of a side's clock, in its own nanoseconds.
type Reading struct {
	Sent int64 `json:"sent_ns"` // when the side sends this message
	Got  int64 `json:"got_ns"`  // when the side received the peer's previous one
}

// Round holds a side's measurements of a round. JSON names that differ from those of the fields stay,
// so that sides of different releases work together.
type Round struct {
	Figure    *result.Round  `json:"figure,omitempty"`     // nil unless the side's clock is the one that counts
	Begin     int64          `json:"begin_ns"`             // of the figure's time, by the side's clock
	End       int64          `json:"end_ns"`               //
	Stop      bool           `json:"stop,omitempty"`       // a signal asked the side to end an endless run
	CPUNs     int64          `json:"cpu_ns"`               // CPU time of the measuring threads
	WallNs    int64          `json:"wall_ns"`              // wall time of the measuring threads, added up
	Sleeps    uint64         `json:"sleeps"`               // for a completion event
	Preempted uint64         `json:"preempted"`            // involuntary context switches
	CPU       int            `json:"cpu"`                  // of the measuring thread at the end; -1: unknown, or there are several
	CPUs      []int          `json:"cpus,omitempty"`       // of several measuring threads at the end, each -1 if unknown
	Nodes     []int          `json:"numa_nodes,omitempty"` // of the CPUs of all measuring threads at the end
	Sent      uint64         `json:"sent"`                 // number of messages that the side sent, where messages may be lost
	Received  uint64         `json:"came"`                 // number of the peer's messages that arrived
	Drift     float64        `json:"clock_drift"`          // of the side's clock, in millionths
	Verify    *result.Verify `json:"verify,omitempty"`     // outcome of checking every byte
	Devices   []Round        `json:"devices,omitempty"`    // what each of several devices measured; the round itself is of all of them
}

// Row holds the statistics of all rounds of a row. The side whose clock counts sends it.
type Row struct {
	Latency   *result.Latency   `json:"latency,omitempty"`
	Load      *result.Load      `json:"load,omitempty"` // with Latency
	Bandwidth *result.Bandwidth `json:"bandwidth,omitempty"`
	Devices   []Row             `json:"devices,omitempty"` // of each of several devices; the row itself is of all of them
}
