// Package comparison holds what ibperf and other programs measured in interleaved runs: pairs, their
// ratios, goals, the JSON file and the text table.
package comparison

import (
	"slices"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// FormatName and FormatVersion identify the file of a comparison.
const (
	FormatName    = "ibperf-comparison"
	FormatVersion = 2
)

// Comparison holds lines that a program and references measured in interleaved runs on one machine. Its
// numbers are SI, as those of a [result.File] are.
type Comparison struct {
	Format      string            `json:"format"`
	Version     int               `json:"version"`
	Command     []string          `json:"command"`
	Started     time.Time         `json:"started"`
	Finished    time.Time         `json:"finished"`
	Interrupted bool              `json:"interrupted"`
	Error       string            `json:"error,omitempty"` // why it ended early; empty if it finished
	Pairs       int               `json:"pairs"`           // of runs, for each line, as requested
	Machine     Machine           `json:"machine"`
	Definitions map[string]string `json:"definitions"` // field name -> what the number means
	Units       map[string]string `json:"units"`       // field name -> unit
	Warnings    []result.Warning  `json:"warnings"`    // about all numbers
	Lines       []Line            `json:"lines"`
}

// Program names one of the two sides of a line.
type Program struct {
	Name    string `json:"name"`
	Release string `json:"release"`
}

// Machine is the host on which servers and clients ran.
type Machine struct {
	Host   string `json:"host"`
	Kernel string `json:"kernel"`
	CPU    string `json:"cpu"`
	CPUs   int    `json:"cpus"`
	Pinned []int  `json:"pinned"` // logical CPUs of server and client
}

// Line is one test that two programs measured: the subject and the reference that it is compared with.
type Line struct {
	Test       string           `json:"test"` // "write_lat"
	Size       int              `json:"size_bytes"`
	Mode       string           `json:"arrival"`         // completion mode: "data", "poll" or "event"
	Parameters map[string]int   `json:"parameters"`      // options of the subject, in the option's unit
	Metric     string           `json:"metric"`          // one of the names that begin with Metric
	Class      *Class           `json:"class,omitempty"` // of the pairs; nil: all
	Subject    Values           `json:"subject"`
	Reference  Values           `json:"reference"`
	Ratio      Spread           `json:"ratio"`          // subject / reference, over the pairs
	Goal       float64          `json:"goal,omitempty"` // upper or lower limit of the median ratio; 0: no goal
	Note       string           `json:"note,omitempty"` // how the definitions differ
	Warnings   []result.Warning `json:"warnings,omitempty"`
}

// Class tells which pairs a line has: those with a value of the reference in a range.
type Class struct {
	Name  string  `json:"name"`
	From  float64 `json:"from"`            // in the unit of the metric
	Below float64 `json:"below,omitempty"` // 0: no limit
}

// Has reports whether a pair with a value of the reference is of the class.
func (c *Class) Has(reference float64) bool {
	return c == nil || c.From <= reference && (c.Below == 0 || reference < c.Below)
}

// Values holds what one program measured in a line.
type Values struct {
	Program    Program   `json:"program"`
	Part       string    `json:"part,omitempty"`   // the program's own test, if the line's name does not say it
	Device     string    `json:"device,omitempty"` // RDMA device; empty: none
	Definition string    `json:"definition"`       // what the value means
	Command    []string  `json:"command"`          // of the client, in the last pair
	Rounds     []float64 `json:"rounds"`           // in order; the same index of both sides is a pair
	Median     float64   `json:"median"`
}

// Spread holds a median and its quartiles, interpolated linearly.
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

// MetricTime is the time of work for a message that is no latency.
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
		"class":      "a line with a class has those pairs in which the reference's value is at least from and less than below",
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
		MetricBandwidth: result.UnitsFor(option.KindBandwidth)["bandwidth."+MetricBandwidth] + "; higher is better",
		MetricRate:      result.UnitsFor(option.KindBandwidth)["bandwidth."+MetricRate] + "; higher is better",
		"ratio":         "1",
		"goal":          "1",
	}
}

// Add appends one pair and recomputes the medians and the ratio.
func (l *Line) Add(subject, reference float64) {
	l.Subject.Rounds = append(l.Subject.Rounds, subject)
	l.Reference.Rounds = append(l.Reference.Rounds, reference)
	l.Subject.Median = quantile(l.Subject.Rounds, 0.5)
	l.Reference.Median = quantile(l.Reference.Rounds, 0.5)
	l.Ratio = l.spread()
}

// spread returns the median and the quartiles of the ratios of all pairs.
func (l *Line) spread() Spread {
	ratios := make([]float64, len(l.Subject.Rounds))
	for i, v := range l.Subject.Rounds {
		ratios[i] = v / l.Reference.Rounds[i]
	}
	return Spread{Median: quantile(ratios, 0.5), Q1: quantile(ratios, 0.25), Q3: quantile(ratios, 0.75)}
}

// quantile returns the quantile q, from 0 to 1, interpolated linearly between the two nearest values; 0
// without values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
