// Package comparison is what ibperf and other programs measured in turns: its file, its
// table, its plots and its page.
package comparison

import (
	"time"

	"github.com/ibperf/ibperf/reports/result"
)

// FormatName and FormatVersion identify the file of a comparison.
const (
	FormatName    = "ibperf-comparison"
	FormatVersion = 2
)

// Comparison is what a program measured in turns with others on one machine, each
// line beside the reference that suits it. Its numbers are SI, as those of a [result.File] are.
type Comparison struct {
	Format      string            `json:"format"`
	Version     int               `json:"version"`
	Command     []string          `json:"command"`
	Started     time.Time         `json:"started"`
	Finished    time.Time         `json:"finished"`
	Interrupted bool              `json:"interrupted"`
	Error       string            `json:"error,omitempty"` // why it ended early; empty if it did not
	Pairs       int               `json:"pairs"`           // of runs of both sides, for each line, as asked for
	Machine     Machine           `json:"machine"`
	Definitions map[string]string `json:"definitions"` // field name -> what the number means
	Units       map[string]string `json:"units"`       // field name -> unit
	Warnings    []result.Warning  `json:"warnings"`    // what makes all numbers doubtful
	Lines       []Line            `json:"lines"`
}

// Program names one of the two sides of a line.
type Program struct {
	Name    string `json:"name"`
	Release string `json:"release"`
}

// Machine is where all programs ran, server and client of each.
type Machine struct {
	Host   string `json:"host"`
	Kernel string `json:"kernel"`
	CPU    string `json:"cpu"`
	CPUs   int    `json:"cpus"`
	Pinned []int  `json:"pinned"` // logical CPUs of server and client
}

// Line is one thing that two programs measured: the subject, which is looked at, and
// the reference, which it is compared with.
type Line struct {
	Test       string           `json:"test"` // "write_lat"
	Size       int              `json:"size_bytes"`
	Arrival    string           `json:"arrival"`    // how it is detected: "data", "poll" or "event"
	Parameters map[string]int   `json:"parameters"` // of the subject, by option name, in the option's unit
	Metric     string           `json:"metric"`     // one of the names that begin with Metric
	Subject    Values           `json:"subject"`
	Reference  Values           `json:"reference"`
	Ratio      Spread           `json:"ratio"`          // subject / reference, over the pairs
	Goal       float64          `json:"goal,omitempty"` // what the median ratio is to be at most, or at least; 0: no goal
	Note       string           `json:"note,omitempty"` // how the definitions differ
	Warnings   []result.Warning `json:"warnings,omitempty"`
}

// Values is what one program measured in a line.
type Values struct {
	Program    Program   `json:"program"`
	Part       string    `json:"part,omitempty"`   // which of the program's own tests, where the line's does not name it
	Device     string    `json:"device,omitempty"` // RDMA device; empty: it needs none
	Definition string    `json:"definition"`       // what was counted and timed
	Command    []string  `json:"command"`          // of the client, in the last pair
	Rounds     []float64 `json:"rounds"`           // in order; those of one index are a pair
	Median     float64   `json:"median"`
}

// Spread is a median and the quartiles around it, interpolated linearly.
type Spread struct {
	Median float64 `json:"median"`
	Q1     float64 `json:"q1"`
	Q3     float64 `json:"q3"`
}

// The metrics of lines, by the names that the numbers have in a [File].
const (
	MetricLatency   = "p50_ns"
	MetricMean      = "mean_ns"
	MetricBandwidth = "average_bytes_per_s"
	MetricRate      = "messages_per_s"
)

// MetricTime is the metric of lines about work for a message that is no latency.
const MetricTime = "message_ns"

// The metrics of lines about whole runs, server and client together.
const (
	MetricWall   = "wall_s"
	MetricMemory = "peak_memory_bytes"
)

// New returns an empty comparison with the definitions of its numbers.
func New() *Comparison {
	return &Comparison{
		Format: FormatName, Version: FormatVersion,
		Definitions: definitions(), Units: unitsOf(),
		Warnings: []result.Warning{}, Lines: []Line{},
	}
}

func definitions() map[string]string {
	return map[string]string{
		"rounds":     "one value of each run, as the line's own definitions of both programs say",
		"pairs":      "a pair is a run of each program, one right after the other; the order changes from pair to pair",
		"median":     "the median of the rounds",
		MetricWall:   "from the start of the server until server and client have ended; the client is started when the server listens",
		MetricMemory: "the largest resident memory (VmHWM) of server and of client, looked at every 50 ms, added; memory that both map counts twice",
		"ratio":      "the subject's value divided by the reference's, for each pair; then the median and the quartiles of these ratios",
		"goal":       "the median ratio is to be at most this where lower is better, at least this where higher is",
	}
}

func unitsOf() map[string]string {
	return map[string]string{
		"size_bytes":    "bytes",
		MetricLatency:   "ns; printed as usec; lower is better",
		MetricMean:      "ns; printed as usec; lower is better",
		MetricTime:      "ns; lower is better",
		MetricWall:      "s; lower is better",
		MetricMemory:    "bytes; printed as MiB; lower is better",
		MetricBandwidth: result.UnitsFor(result.KindBandwidth)["bandwidth."+MetricBandwidth] + "; higher is better",
		MetricRate:      result.UnitsFor(result.KindBandwidth)["bandwidth."+MetricRate] + "; higher is better",
		"ratio":         "1",
		"goal":          "1",
	}
}
