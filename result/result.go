// Package result defines the result file of a run: its members, what its numbers mean, and how it is
// written and read.
//
// A run fills a [File]. Tables, plots, pages and comparisons are made from files, so that earlier
// runs can be drawn again, and runs of several hosts compared. Numbers are in SI units: nanoseconds,
// seconds, bytes, bytes per second. They are scaled only when printed.
package result

import (
	"encoding/json"
	"time"

	"github.com/ibperf/ibperf/option"
)

// FormatName and FormatVersion identify the result file. docs/VERSIONS.md says what needs a new version.
// All earlier versions can be read.
//
//	1  the first
//	2  rounds, costs of both sides, definitions by path
//	3  parameters are the plan's options in their JSON form, with definitions and units
const (
	FormatName    = "ibperf-result"
	FormatVersion = 3
)

// File is one run as one side saw it: the JSON document that --out_json writes.
type File struct {
	Header
	Program     string            `json:"program"` // "ib_write_lat"
	Release     string            `json:"release"` // ibperf's own version, as --version prints it
	Op          option.Op         `json:"op"`
	Kind        option.Kind       `json:"kind"`
	Role        string            `json:"role"` // "client" or "server"
	Command     []string          `json:"command"`
	Comparison  *Comparison       `json:"comparison,omitempty"`      // the ib_compare that made the run; nil: none
	Perftest    *PerftestPeer     `json:"perftest_peer,omitempty"`   // nil: the peer is ibperf
	Channel     string            `json:"control_channel,omitempty"` // clients that the TCP channel accepted
	Started     time.Time         `json:"started"`
	Finished    time.Time         `json:"finished"`
	Interrupted bool              `json:"interrupted"`
	Error       string            `json:"error,omitempty"` // why the run ended early; empty if complete
	Parameters  Parameters        `json:"parameters"`
	Local       Side              `json:"local"`
	Peer        Side              `json:"peer"`
	Definitions map[string]string `json:"definitions"`        // field name -> what the number means
	Units       map[string]string `json:"units"`              // field name -> unit
	Warnings    []Warning         `json:"warnings"`           // reasons to doubt the numbers of all rows
	Findings    []Finding         `json:"findings,omitempty"` // what probably made the numbers worse
	Rows        []Row             `json:"rows"`
	NotMeasured []Missing         `json:"not_measured,omitempty"`
	Limits      string            `json:"precision_limit,omitempty"` // why intervals are wider than --precision
	RowLimits   []Limit           `json:"limits,omitempty"`          // of a complete run, by the options of the side that wrote the file
	Build       *Build            `json:"build,omitempty"`           // that wrote the file
	TestInfo    *TestInfo         `json:"test_info,omitempty"`       // as perftest has it; nil in comparisons
	Results     *Results          `json:"results,omitempty"`         // likewise, of the last row; nil without rows
}

// Build is the build of ibperf that wrote the file; nil in files without it.
type Build struct {
	Version  string `json:"version"`  // of the module
	Revision string `json:"revision"` // of the repository; empty: not known
	Modified bool   `json:"modified"` // files differed from the revision
}

// Comparison identifies the runs of one ib_compare.
type Comparison struct {
	ID    string `json:"id"`              // equal in all its files
	Sweep string `json:"sweep,omitempty"` // the sweep that the run was made for: SweepQPs, SweepGap, SweepRate; empty: none
}

// The sweeps of a comparison: the member of the parameters in which the runs of one differ.
const (
	SweepQPs = "qps"
	SweepGap = "latency_gap_ns"
	// SweepRate is along the rate at which the messages of a latency test are due.
	SweepRate = "rate_limit"
)

// Side describes one end of the run: its machine, its device, the device's answer.
type Side struct {
	Host    string  `json:"host"`
	Kernel  string  `json:"kernel"`
	CPU     string  `json:"cpu"`
	CPUs    int     `json:"cpus"`
	Clock   string  `json:"clock"`    // the clock: "TSC" or "CLOCK_MONOTONIC"
	ClockNs float64 `json:"clock_ns"` // cost of reading the clock; each latency sample includes one reading
	// DeviceChoice is why the device was chosen; empty: an option or a variable named it.
	DeviceChoice string `json:"device_choice,omitempty"`
	// PinnedCPU is the CPU that the measuring thread was pinned to, or nil.
	PinnedCPU *int `json:"pinned_cpu,omitempty"`
	// PinnedCPUs are those of several measuring threads, or nil.
	PinnedCPUs []int `json:"pinned_cpus,omitempty"`
	// Idle is about the CPU of the measuring thread, or one that it may run on if it is not pinned; nil
	// in files that do not have it.
	Idle *Idle `json:"idle,omitempty"`
	// NUMA is nil in files that do not have it.
	NUMA *NUMA `json:"numa,omitempty"`
	// ClockStepNs is the smallest difference between two readings of the clock.
	ClockStepNs float64 `json:"clock_step_ns"`
	// ClockHz is the rate of the CPU's time stamp counter, or 0 if another clock is read.
	ClockHz float64 `json:"clock_hz"`

	Governor  string            `json:"governor,omitempty"` // cpufreq governor; empty if the kernel has none
	Libraries map[string]string `json:"libraries"`          // "go", "libibverbs", ...
	GPU       string            `json:"gpu,omitempty"`      // whose memory held the messages: library, device and name; empty: main memory did
	TPH       *TPH              `json:"tph,omitempty"`      // nil: no hints
	Tuning    *Tuning           `json:"tuning,omitempty"`   // nil in files that do not have it
	Device    Device            `json:"device"`
	Order     Order             `json:"order"`                  // of several devices the weakest answer
	More      []MoreDevice      `json:"more_devices,omitempty"` // measured at the same time, after Device
}

// NUMA holds the NUMA nodes of what a side uses. Those of its measuring threads are in [Cost].
type NUMA struct {
	Nodes  int         `json:"nodes"`                 // number of nodes of the host; 0: unknown
	Device *int        `json:"device_node,omitempty"` // of the PCI device; nil: unknown, or no such device
	SetUp  []int       `json:"setup_nodes,omitempty"` // of the CPUs that the thread was on that made memory, CQs and QPs; empty: unknown
	Memory []NodeShare `json:"memory,omitempty"`      // of the pages of the messages' memory; empty: unknown
}

// TPH holds the hints in the device's PCIe requests to the messages of a side.
type TPH struct {
	Hint   int    `json:"hint"`             // processing hint of PCIe, 0 to 3
	CPU    *int   `json:"cpu,omitempty"`    // whose steering tag the requests carry; nil: they carry none
	Memory string `json:"memory,omitempty"` // that the tag is for: TPHVolatile, TPHPersistent; empty: no tag
}

// The kinds of memory in [TPH].
const (
	TPHVolatile   = "volatile"
	TPHPersistent = "persistent"
)

// NodeShare is the part of some memory that is on a NUMA node.
type NodeShare struct {
	Node  int     `json:"node"`
	Share float64 `json:"share"` // of the pages, above 0 and up to 1
}

// Idle holds what a kernel does with a CPU that has no work. A thread that sleeps on the CPU wakes later
// by the time of leaving the idle state.
type Idle struct {
	Driver   string      `json:"driver"`             // of cpuidle, or NoIdleDriver
	Governor string      `json:"governor,omitempty"` // chooses the state
	States   []IdleState `json:"states,omitempty"`   // that are not disabled, from shallow to deep
	// LimitNs is the limit of /dev/cpu_dma_latency: the kernel enters no state with a longer exit latency.
	// Without a limit it is 2000 s; nil if the side may not read it, which takes root.
	LimitNs *float64 `json:"latency_limit_ns,omitempty"`
}

// Deepest returns the state with the longest exit latency of those that the limit allows; the first
// state if it allows none; a state without a name if there is none.
func (i *Idle) Deepest() (deepest IdleState) {
	for n, s := range i.States {
		allowed := i.LimitNs == nil || s.ExitNs <= *i.LimitNs
		if n == 0 || allowed && s.ExitNs > deepest.ExitNs {
			deepest = s
		}
	}
	return deepest
}

// VariesFrequency reports whether CPUs change their clock by their load: the governor is another than performance.
func (s *Side) VariesFrequency() bool { return s.Governor != "" && s.Governor != "performance" }

// NoIdleDriver is the driver of a kernel without idle states, as in many virtual machines.
const NoIdleDriver = "none"

// IdleState is an idle state of a CPU.
type IdleState struct {
	Name   string  `json:"name"`
	ExitNs float64 `json:"exit_latency_ns"` // as the driver declares it
}

// Device is the RDMA device a side used.
type Device struct {
	Name      string  `json:"name"`
	Backend   string  `json:"backend"`            // "shm", "ibv"
	Software  string  `json:"software,omitempty"` // what replaces hardware; empty for a real device
	Firmware  string  `json:"firmware,omitempty"`
	CallPath  string  `json:"call_path,omitempty"` // from Go into the backend's C library: CallsDirect, CallsCgo; empty: none, or not known
	Port      int     `json:"port"`
	LinkLayer string  `json:"link_layer"`
	LinkRate  float64 `json:"link_rate_bytes_per_s,omitempty"` // of one direction; 0: not known, or software
	ActiveMTU int     `json:"active_mtu_bytes,omitempty"`      // of the port; 0 in files that do not have it
	MaxMTU    int     `json:"max_mtu_bytes,omitempty"`         // that the port is capable of; likewise
	GID       string  `json:"gid"`
	GIDIndex  int     `json:"gid_index"`
}

// The call paths, which are the texts of package verbs.
const (
	CallsDirect = "direct"
	CallsCgo    = "cgo"
)

// Order is a side's answer to ibv_query_qp_data_in_order for the opcode of the run.
type Order struct {
	Query  string `json:"query"`  // the call
	Answer string `json:"answer"` // OrderWhole, OrderBlocks, OrderNone, OrderUnknown
	// OutOfOrder is the answer for QPs with out-of-order placement, empty without such QPs.
	OutOfOrder string `json:"out_of_order,omitempty"`
}

// The answers about data order, which are the texts of verbs.Order. This package does not import
// package verbs.
const (
	OrderWhole   = "whole message"
	OrderBlocks  = "aligned 128-byte blocks"
	OrderNone    = "not promised"
	OrderUnknown = "unknown"
)

// A Warning is a reason to doubt a number. ID is stable and meant for programs.
type Warning struct {
	ID   WarningID `json:"id"`
	Text string    `json:"text"`
}

// Missing is a row that was not measured, and why.
type Missing struct {
	Size int    `json:"size_bytes"`
	Mode string `json:"mode"` // as [Row.Name] has it
	Why  string `json:"why"`
}

// Row is one measurement: one message size in one completion mode.
type Row struct {
	Size    int            `json:"size_bytes"`
	Mode    option.Mode    `json:"mode"`              // one of ModeOrder
	Variant option.Variant `json:"variant,omitempty"` // empty: the mode as it is
	Forced  bool           `json:"forced"`            // data mode without the device's promise
	Opcode  string         `json:"opcode"`            // "RDMA_WRITE", "SEND", ...; "A+B" if a message is two requests
	Touch   option.Touch   `json:"touch"`
	Slots   int            `json:"slots"`  // messages that the ring holds
	Span    int            `json:"span"`   // slots at which messages arrive
	Depth   int            `json:"depth"`  // messages that a QP may have outstanding
	CQMod   int            `json:"cq_mod"` // one send completion in every N messages
	Relaxed bool           `json:"relaxed_ordering"`
	Reorder bool           `json:"out_of_order,omitempty"` // QPs had out-of-order placement
	WarmupS float64        `json:"warmup_s"`               // before the measured messages

	Latency   *Latency   `json:"latency,omitempty"`
	Load      *Load      `json:"load,omitempty"`      // of a latency test with a rate
	Bandwidth *Bandwidth `json:"bandwidth,omitempty"` // the sum of both directions, if there are two
	// The two directions of a bidirectional test; else nil.
	FromClient *Direction `json:"from_client,omitempty"`
	FromServer *Direction `json:"from_server,omitempty"`
	// Devices has a row for each of several devices that were measured at the same time, in their order.
	Devices   []DeviceRow `json:"devices,omitempty"`
	Samples   []float64   `json:"samples_ns,omitempty"` // in order of time, if asked for
	Local     Cost        `json:"local"`
	Peer      Cost        `json:"peer"`
	Distances []string    `json:"cpu_distances,omitempty"` // of the two sides' CPUs, if the sides are on one host
	Rounds    []Round     `json:"rounds"`
	NoRatio   string      `json:"no_ratio,omitempty"` // why this row is not compared with others; empty if it is
	Delivery  *Delivery   `json:"delivery,omitempty"` // for transports that may lose messages, if arrivals are counted
	Verify    *Verify     `json:"verify,omitempty"`
	Warnings  []Warning   `json:"warnings,omitempty"`
}

// Delivery counts the messages of a row or a direction, without warm-ups.
type Delivery struct {
	Sent uint64 `json:"sent"` // by both sides, for a row
	Lost uint64 `json:"lost"` // of them
}

// A Round is one of the short measurements that a row is made of. The n-th rounds of a run in
// different modes were measured one right after the other.
type Round struct {
	Run      int       `json:"run"`            // number of its run
	Ended    time.Time `json:"ended,omitzero"` // zero in files that do not have it
	Messages uint64    `json:"messages"`
	Seconds  float64   `json:"seconds"`
	P50Ns    float64   `json:"p50_ns,omitempty"` // of samples spread over steps of the clock
	P90Ns    float64   `json:"p90_ns,omitempty"`
	P99Ns    float64   `json:"p99_ns,omitempty"`
	MeanNs   float64   `json:"mean_ns,omitempty"`
	Average  float64   `json:"average_bytes_per_s,omitempty"`
}

// Measured reports whether the row has the numbers of a kind.
func (r *Row) Measured(kind option.Kind) bool {
	if kind == option.KindLatency {
		return r.Latency != nil
	}
	return r.Bandwidth != nil
}

// Latency holds the statistics of one latency measurement. All times are what
// the definition "latency" says: recorded time multiplied by Factor.
type Latency struct {
	N         uint64  `json:"n"`
	MinNs     float64 `json:"min_ns"`
	MeanNs    float64 `json:"mean_ns"`
	StdevNs   float64 `json:"stdev_ns"` // population standard deviation of all N samples
	P50Ns     float64 `json:"p50_ns"`
	P90Ns     float64 `json:"p90_ns"`
	P99Ns     float64 `json:"p99_ns"`
	P999Ns    float64 `json:"p99_9_ns"`
	P9999Ns   float64 `json:"p99_99_ns"`
	MaxNs     float64 `json:"max_ns"`
	Rate      float64 `json:"iterations_per_s"`    // N over the time of the rounds, pauses included; 0 in files that do not have it
	Factor    float64 `json:"factor"`              // 0.5 for a ping-pong, 1 for a full round trip
	MeanOnly  bool    `json:"mean_only,omitempty"` // no statistics but N and MeanNs
	Histogram string  `json:"histogram"`           // recorded nanoseconds, before Factor: HdrHistogram V2 compressed, base64
}

// MarshalJSON leaves out numbers that were not measured.
func (l Latency) MarshalJSON() ([]byte, error) {
	if l.MeanOnly {
		return json.Marshal(struct {
			N        uint64  `json:"n"`
			MeanNs   float64 `json:"mean_ns"`
			Rate     float64 `json:"iterations_per_s"`
			Factor   float64 `json:"factor"`
			MeanOnly bool    `json:"mean_only"`
		}{l.N, l.MeanNs, l.Rate, l.Factor, l.MeanOnly})
	}
	type all Latency // without this method
	return json.Marshal(all(l))
}

// Bandwidth holds the rates of one bandwidth measurement.
type Bandwidth struct {
	Messages     uint64  `json:"messages"`
	Bytes        uint64  `json:"bytes"`
	Seconds      float64 `json:"seconds"`
	Average      float64 `json:"average_bytes_per_s"`
	Slowest      float64 `json:"slowest_bytes_per_s,omitempty"`       // of the windows; sum of both directions; 0 if not measured
	MedianWindow float64 `json:"median_window_bytes_per_s,omitempty"` // likewise; 0 if not measured
	Peak         float64 `json:"peak_bytes_per_s,omitempty"`          // of the fastest window, likewise; 0 if not measured
	WindowS      float64 `json:"window_s,omitempty"`                  // length of the windows, at least 1 ms
	MsgRate      float64 `json:"messages_per_s"`
	MeasuredAt   string  `json:"measured_at"` // "sender", "receiver" or "requester"
	// AlignedWithin is the possible error of the alignment of both sides' clocks in a bidirectional test.
	AlignedWithin float64 `json:"aligned_within_s,omitempty"`
}

// Cost is the cost of the timed loop of one side.
type Cost struct {
	Busy             float64           `json:"busy"` // fraction of the measured time that the measuring thread was on a CPU; 0 in files of version 1
	SleepsPerMessage float64           `json:"sleeps_per_message"`
	CPUNs            float64           `json:"cpu_ns_per_message"` // CPU time of the loop's thread, user and system
	Sleeps           uint64            `json:"sleeps"`             // sleeps of the thread for a completion event
	Preempted        uint64            `json:"preempted"`          // times that the kernel gave the thread's CPU to another
	PreemptedPerS    float64           `json:"preempted_per_s"`
	CPUUtil          *float64          `json:"cpu_util,omitempty"`   // fraction of the time of all CPUs of the host that was not idle; nil: not asked for
	Counters         map[string]uint64 `json:"counters,omitempty"`   // increase of the port's counters in the measured rounds
	CPUs             []int             `json:"cpus,omitempty"`       // that the thread ran on, read at the end of each round
	NUMANodes        []int             `json:"numa_nodes,omitempty"` // of the CPUs that the measuring threads ran on; empty: unknown
}

// Verify counts the results of checking every byte of every message.
type Verify struct {
	Messages   uint64 `json:"messages"` // checked, of both sides
	Torn       uint64 `json:"torn"`
	Stale      uint64 `json:"stale"`
	Duplicates uint64 `json:"duplicates"`
	First      string `json:"first,omitempty"` // details of the first corrupted message
}

// Add adds the counts of another check. The first corrupted message stays the first.
func (v *Verify) Add(w Verify) {
	v.Messages += w.Messages
	v.Torn += w.Torn
	v.Stale += w.Stale
	v.Duplicates += w.Duplicates
	if v.First == "" {
		v.First = w.First
	}
}

// Bad returns the number of corrupted messages.
func (v *Verify) Bad() uint64 { return v.Torn + v.Stale + v.Duplicates }
