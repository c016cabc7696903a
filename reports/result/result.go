// Package result holds the result file of a run: what is in it, what its numbers
// mean, and how it is written and read.
//
// A run fills a [File]; every table, plot and comparison is made from files, so
// that old runs can be drawn again and runs of many hosts be laid together.
// Numbers inside are SI: nanoseconds, seconds, bytes, bytes per second. They
// are scaled only where they are printed.
package result

import (
	"encoding/json"
	"time"
)

// FormatName and FormatVersion identify the result file. Within a version members may be
// added, which readers leave out if they do not know them. What goes, or comes to mean
// something else, takes a new version; all earlier ones are read.
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
	Format      string            `json:"format"`
	Version     int               `json:"version"`
	Program     string            `json:"program"` // "ib_write_lat"
	Release     string            `json:"release"` // ibperf's own version, as --version prints it
	Op          string            `json:"op"`      // "write", "send", "read" or "atomic"
	Kind        string            `json:"kind"`    // KindLatency or KindBandwidth
	Role        string            `json:"role"`    // "client" or "server"
	Command     []string          `json:"command"`
	Comparison  *Comparison       `json:"comparison,omitempty"`      // of ib_compare that the run is part of; nil: of none
	Channel     string            `json:"control_channel,omitempty"` // whom the TCP channel was open to
	Started     time.Time         `json:"started"`
	Finished    time.Time         `json:"finished"`
	Interrupted bool              `json:"interrupted"`
	Error       string            `json:"error,omitempty"` // why the run ended early; empty if it did not
	Parameters  Parameters        `json:"parameters"`
	Local       Side              `json:"local"`
	Peer        Side              `json:"peer"`
	Definitions map[string]string `json:"definitions"` // field name -> what the number means
	Units       map[string]string `json:"units"`       // field name -> unit
	Warnings    []Warning         `json:"warnings"`    // what makes the numbers of all rows doubtful
	Rows        []Row             `json:"rows"`
	NotMeasured []Missing         `json:"not_measured,omitempty"`
	Limits      string            `json:"precision_limit,omitempty"` // what kept the intervals wider than asked, in words
	Build       *Build            `json:"build,omitempty"`           // that has made the file
}

// Build is the build of ibperf that has made the file; nil in files that do not tell.
type Build struct {
	Version  string `json:"version"`  // of the module
	Revision string `json:"revision"` // of the repository; empty: not known
	Modified bool   `json:"modified"` // files differed from the revision
}

// Comparison tells runs that one ib_compare made from others.
type Comparison struct {
	ID    string `json:"id"`              // the same in all its files
	Sweep string `json:"sweep,omitempty"` // what the run was made for: SweepQPs, SweepGap; empty: for no sweep
}

// The sweeps of a comparison: the member of the parameters in which the runs of one differ.
const (
	SweepQPs = "qps"
	SweepGap = "latency_gap_ns"
)

// Side describes one end of the run: its machine, its device, the device's answer.
type Side struct {
	Host    string  `json:"host"`
	Kernel  string  `json:"kernel"`
	CPU     string  `json:"cpu"`
	CPUs    int     `json:"cpus"`
	Clock   string  `json:"clock"`    // what is read for the time: "TSC" or "CLOCK_MONOTONIC"
	ClockNs float64 `json:"clock_ns"` // what a reading of the clock costs; each latency sample includes one
	// PinnedCPU is the CPU that the measuring thread was kept on, nil if it was not.
	PinnedCPU *int `json:"pinned_cpu,omitempty"`
	// ClockStepNs is the smallest difference between two readings of the clock.
	ClockStepNs float64 `json:"clock_step_ns"`
	// ClockHz is the rate of the CPU's time stamp counter, 0 where it is not what is read.
	ClockHz float64 `json:"clock_hz"`

	Governor  string            `json:"governor,omitempty"` // cpufreq governor; empty if the kernel has none
	Libraries map[string]string `json:"libraries"`          // "go", "libibverbs", ...
	Device    Device            `json:"device"`
	Order     Order             `json:"order"`
}

// Device is the RDMA device a side used.
type Device struct {
	Name      string `json:"name"`
	Backend   string `json:"backend"`            // "shm", "ibv"
	Software  string `json:"software,omitempty"` // what stands in for hardware, "" for a real device
	Firmware  string `json:"firmware,omitempty"`
	Port      int    `json:"port"`
	LinkLayer string `json:"link_layer"`
	GID       string `json:"gid"`
	GIDIndex  int    `json:"gid_index"`
}

// Order is a side's answer to ibv_query_qp_data_in_order for the opcode of the run.
type Order struct {
	Query  string `json:"query"`  // the call as it was made
	Answer string `json:"answer"` // OrderWhole, OrderBlocks, OrderNone, OrderUnknown
}

// The answers about data order.
const (
	OrderWhole   = "whole message"
	OrderBlocks  = "aligned 128-byte blocks"
	OrderNone    = "not promised"
	OrderUnknown = "unknown"
)

// Warning says why a number may not be what it seems. ID is stable and meant for programs.
type Warning struct {
	ID   string `json:"id"` // "software-device", "few-samples", "forced-data", ...
	Text string `json:"text"`
}

// Missing is a row that there is not, and why.
type Missing struct {
	Size int    `json:"size_bytes"`
	Mode string `json:"mode"` // as [Row.Name] has it
	Why  string `json:"why"`
}

// Row is one measurement: one message size in one completion mode.
type Row struct {
	Size    int     `json:"size_bytes"`
	Mode    string  `json:"mode"`              // "data", "poll" or "event"
	Variant string  `json:"variant,omitempty"` // VariantRelaxed, ...; empty: the mode as it is
	Forced  bool    `json:"forced"`            // data mode without the device's promise
	Opcode  string  `json:"opcode"`            // "RDMA_WRITE", "SEND", ...
	Touch   string  `json:"touch"`             // "none", "read" or "write"
	Slots   int     `json:"slots"`             // messages that a ring holds
	Span    int     `json:"span"`              // of them in use
	Depth   int     `json:"depth"`             // messages that a QP may have on their way
	CQMod   int     `json:"cq_mod"`            // one send completion for so many messages
	Relaxed bool    `json:"relaxed_ordering"`
	WarmupS float64 `json:"warmup_s"` // before the measured messages

	Latency   *Latency   `json:"latency,omitempty"`
	Bandwidth *Bandwidth `json:"bandwidth,omitempty"` // the sum of both directions, if there are two
	// The two directions of a bidirectional test; else nil.
	FromClient *Direction `json:"from_client,omitempty"`
	FromServer *Direction `json:"from_server,omitempty"`
	Samples    []float64  `json:"samples_ns,omitempty"` // in their order, if they were asked for
	Local      Cost       `json:"local"`
	Peer       Cost       `json:"peer"`
	Rounds     []Round    `json:"rounds"`
	NoRatio    string     `json:"no_ratio,omitempty"` // why nothing is concluded from this row against others; empty if it may be compared
	Delivery   *Delivery  `json:"delivery,omitempty"` // of transports that may lose messages, where arrivals are counted
	Verify     *Verify    `json:"verify,omitempty"`
	Warnings   []Warning  `json:"warnings,omitempty"`
}

// Delivery is what became of the messages of a row or a direction, warm-ups not included.
type Delivery struct {
	Sent uint64 `json:"sent"` // of a row by both sides
	Lost uint64 `json:"lost"` // of them
}

// The variants of a mode.
const (
	VariantRelaxed = "relaxed" // poll with memory registered for relaxed ordering
	VariantLook    = "look"    // data with a look at the CQ every so often
	VariantControl = "control" // the same mode once more on QPs of its own
)

// Round is one of the short measurements that a row is made of. Those of one run and
// place in different modes were made one right after the other.
type Round struct {
	Run      int     `json:"run"` // which of the runs it was in
	Messages uint64  `json:"messages"`
	Seconds  float64 `json:"seconds"`
	P50Ns    float64 `json:"p50_ns,omitempty"`
	MeanNs   float64 `json:"mean_ns,omitempty"`
	Average  float64 `json:"average_bytes_per_s,omitempty"`
}

// Measured reports whether the row has the numbers of a kind.
func (r *Row) Measured(kind string) bool {
	if kind == KindLatency {
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

// MarshalJSON leaves out what was not measured.
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
	Slowest      float64 `json:"slowest_bytes_per_s,omitempty"`       // of the windows, of both directions the sum of theirs; 0 if not measured
	MedianWindow float64 `json:"median_window_bytes_per_s,omitempty"` // in the same way; 0 if not measured
	Peak         float64 `json:"peak_bytes_per_s,omitempty"`          // of the fastest window, in the same way; 0 if not measured
	WindowS      float64 `json:"window_s,omitempty"`                  // length of the windows, at least 1 ms
	MsgRate      float64 `json:"messages_per_s"`
	MeasuredAt   string  `json:"measured_at"` // "sender", "receiver" or "requester"
	// AlignedWithin is how far the clocks of both sides may be apart, of a bidirectional test.
	AlignedWithin float64 `json:"aligned_within_s,omitempty"`
}

// Cost is what a side spent in its timed loop.
type Cost struct {
	Busy             float64           `json:"busy"` // part of the measured time that the measuring thread was on a CPU, 0 to 1; 0 in files of version 1
	SleepsPerMessage float64           `json:"sleeps_per_message"`
	CPUNs            float64           `json:"cpu_ns_per_message"` // CPU time of the loop's thread, user and system
	Sleeps           uint64            `json:"sleeps"`             // how often the thread slept for a completion event
	Preempted        uint64            `json:"preempted"`          // how often the kernel gave the thread's CPU to another
	PreemptedPerS    float64           `json:"preempted_per_s"`
	CPUUtil          *float64          `json:"cpu_util,omitempty"` // part of the time of all CPUs of the host that was not idle; nil: not asked for
	Counters         map[string]uint64 `json:"counters,omitempty"` // of the port: what they grew by in the measured rounds
	CPUs             []int             `json:"cpus,omitempty"`     // that the thread was on, as seen at the end of each round
}

// Verify counts what checking every byte of every message found.
type Verify struct {
	Messages   uint64 `json:"messages"` // checked, both sides together
	Torn       uint64 `json:"torn"`
	Stale      uint64 `json:"stale"`
	Duplicates uint64 `json:"duplicates"`
	First      string `json:"first,omitempty"` // details of the first bad message
}

// Add adds what another check found. The first bad message stays the first.
func (v *Verify) Add(w Verify) {
	v.Messages += w.Messages
	v.Torn += w.Torn
	v.Stale += w.Stale
	v.Duplicates += w.Duplicates
	if v.First == "" {
		v.First = w.First
	}
}

// Bad returns the number of messages that were not as sent.
func (v *Verify) Bad() uint64 { return v.Torn + v.Stale + v.Duplicates }
