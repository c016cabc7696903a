package oob

import (
	"net/netip"
	"time"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/verbs"
)

// Peer is the other side of a run, in the words of a benchmark: what the two sides tell
// each other once they have agreed on a plan. Each method gives the peer this side's part
// and returns the peer's. Both sides call the same methods in the same order; the side
// that a turn does not come from gives a zero one. All return at once when the peer is lost.
type Peer interface {
	// Offer swaps what the ports have to be addressed by.
	Offer(mine Offer) (theirs Offer, err error)
	// Rendezvous tells the client where the server waits for connections by rdma_cm.
	Rendezvous(mine Rendezvous) (theirs Rendezvous, err error)
	// Endpoints swaps what each side must know of the other's QPs, way by way.
	Endpoints(mine []Endpoint) (theirs []Endpoint, err error)
	// Promise swaps the devices and what they answer about the order of data. Each side
	// gives it when its QPs are ready to receive and to send.
	Promise(mine Promise) (theirs Promise, err error)
	// Turn takes the client's word for what comes next.
	Turn(mine Turn) (theirs Turn, err error)
	// Ready returns when both sides are ready for the turn.
	Ready() error
	// Align swaps readings of both sides' clocks, several times in a row.
	Align(mine Reading) (theirs Reading, err error)
	// Finish swaps how many messages were sent in the turn, worker by worker. It may be
	// under way while messages still come.
	Finish(sent []uint64) (theirs []uint64, err error)
	// Result swaps what was measured in the turn.
	Result(mine Round) (theirs Round, err error)
	// Rest swaps how many posted receives no message has taken, QP by QP.
	Rest(unused []uint64) (theirs []uint64, err error)
	// Row swaps the statistics of all rounds of a row.
	Row(mine Row) (theirs Row, err error)
	// Lost is closed when the peer is gone or has ended the run.
	Lost() <-chan struct{}
	// Err tells why, once Lost is closed.
	Err() error
}

// Offer is what a side's port has to be addressed by. Both sides decide by both offers
// how they address each other, and come to the same.
type Offer struct {
	Link     verbs.LinkLayer  `json:"link"`
	NeedsGID bool             `json:"needs_gid"` // a LID does not do, or a GID was asked for
	Classes  []verbs.GIDClass `json:"classes"`   // of the GIDs to choose from
	Peer     netip.Addr       `json:"peer"`      // of the control connection, as seen from this side
	Longest  uint32           `json:"longest"`   // message of the port, in bytes
}

// Rendezvous is where a server waits for connections by rdma_cm, and the secret by which
// it knows them.
type Rendezvous struct {
	Port  uint16 `json:"port"` // of the RDMA port space
	Token uint64 `json:"token"`
}

// Endpoint is what the peer must know of a QP and of the memory that goes with it.
type Endpoint struct {
	verbs.Endpoint
	Addr        uint64 `json:"addr"` // of the messages
	RKey        uint32 `json:"rkey"`
	RelaxedRKey uint32 `json:"relaxed_rkey"`           // of the same memory, where rows use it with relaxed ordering
	Credits     uint64 `json:"credits"`                // where the peer tells how far it has consumed
	CreditsRKey uint32 `json:"credits_rkey,omitempty"` // 0: as RKey
	RecvQP      uint32 `json:"recv_qp,omitempty"`      // of XRC: the QP that receives
	SRQ         uint32 `json:"srq,omitempty"`          // of XRC: the queue that requests name
}

// Promise is a side's device and what it answers about the order of data.
type Promise struct {
	Side  result.Side `json:"side"`
	Order verbs.Order `json:"order"`
	Kept  int         `json:"kept"` // SENDs of up to so many bytes are not in memory before the CQ is polled
	Boot  string      `json:"boot"` // the kernel's boot_id, which tells sides on one host
	CPUs  []int       `json:"cpus"` // that the side may measure on

	Pinned bool `json:"pinned"` // to the first of them

	Unlike []string `json:"unlike,omitempty"` // what of the path that rdma_cm chose is not as the side was asked for, in words
}

// The steps of a run that a turn can be.
const (
	StepRun   = "run"   // again with fresh QPs, memory and connections
	StepSize  = "size"  // prepare for messages of a size
	StepRound = "round" // measure one way
	StepRest  = "rest"  // bring all QPs to rest: the size is done
	StepRow   = "row"   // the rows of a size are complete
	StepEnd   = "end"
)

// Turn is what the client says that comes next.
type Turn struct {
	Step     string        `json:"step"`
	Size     int           `json:"size"`               // index into the plan's sizes
	Way      int           `json:"way"`                // index into the ways that are measured
	Warmup   bool          `json:"warmup"`             // the round is no part of the row
	Messages uint64        `json:"messages"`           // of each QP; 0: Duration counts
	Duration time.Duration `json:"duration"`           //
	NoRatio  string        `json:"no_ratio,omitempty"` // why the size's rows cannot be compared
	Limit    string        `json:"limit,omitempty"`    // of an end: what kept intervals wider than asked
}

// Reading is what a side's clock has read, in ns of its own.
type Reading struct {
	Sent int64 `json:"sent_ns"` // when it sends this one
	Got  int64 `json:"got_ns"`  // when it had the peer's one before
}

// Round is what a side measured in a round.
type Round struct {
	Figure    *result.Round  `json:"figure,omitempty"` // nil at the side whose clock does not count
	Begin     int64          `json:"begin_ns"`         // of the figure's time, by the side's clock
	End       int64          `json:"end_ns"`           //
	Stop      bool           `json:"stop,omitempty"`   // the side was told to end an endless run
	CPUNs     int64          `json:"cpu_ns"`           // CPU time of the measuring threads
	WallNs    int64          `json:"wall_ns"`          // that they were measured for, added up
	Sleeps    uint64         `json:"sleeps"`           // for a completion event
	Preempted uint64         `json:"preempted"`        // involuntary context switches
	CPU       int            `json:"cpu"`              // that the measuring thread was on at the end; -1: not known
	Sent      uint64         `json:"sent"`             // messages, where they may be lost
	Came      uint64         `json:"came"`             // of the peer's, that arrived
	Drift     float64        `json:"clock_drift"`      // of its clock, in millionths
	Verify    *result.Verify `json:"verify,omitempty"` // what checking every byte found
}

// Row is the statistics of all rounds of a row, of the side whose clock counts.
type Row struct {
	Latency   *result.Latency   `json:"latency,omitempty"`
	Bandwidth *result.Bandwidth `json:"bandwidth,omitempty"`
}
