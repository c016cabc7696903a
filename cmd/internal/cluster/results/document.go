// Package results holds what a run of ib_cluster writes: the journal, to which each test is appended at once,
// cluster.json, and the text.
package results

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/result"
)

// FormatName and FormatVersion identify cluster.json. Releases may add members within a version.
const (
	FormatName    = "ibperf-cluster"
	FormatVersion = 1
)

// FileName is the name of the document in the folder of a run.
const FileName = "cluster.json"

// SchemaID is the $id of the schema, and the address of docs/cluster.schema.json.
const SchemaID = "https://raw.githubusercontent.com/ibperf/ibperf/main/docs/cluster.schema.json"

// Schema returns the JSON Schema of cluster.json, as [result.Schema] does for result files.
func Schema(closed bool) []byte {
	header := result.Header{Format: FormatName, Version: FormatVersion}
	return result.SchemaOf(reflect.TypeFor[Document](), header, "Cluster report of ibperf", SchemaID, closed)
}

// A Document is the report of a run.
type Document struct {
	result.Header
	Release  string    `json:"release"`
	Command  []string  `json:"command" about:"command line of rank 0"`
	Launcher string    `json:"launcher"`
	Job      string    `json:"job" about:"identity of the launcher's job; empty: not known"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Status   int       `json:"status" about:"exit status of rank 0"`
	Settings Settings  `json:"settings"`
	Software bool      `json:"software" about:"the devices are software in shared memory"`
	Rounds   int       `json:"rounds"`
	Figures  []Figure  `json:"figures" about:"what the tests measured, and how certain it is"`
	Nodes    []Node    `json:"nodes" about:"in the order of ranks; of several devices of each rank, rails, each has an entry"`
	Pairs    []Pair    `json:"bad_pairs" about:"good nodes whose tests with each other are low"`
	Groups   []Group   `json:"groups,omitempty" about:"of nodes that share a part of the network; not there: not known"`
	Tests    []Test    `json:"tests" about:"in their order"`
}

// A Figure is what all tests have measured.
type Figure struct {
	Name     string    `json:"name" about:"success, bandwidth, latency, or limits if there are any"`
	Tests    int       `json:"tests"`
	Median   float64   `json:"median" about:"of all tests: B/s of both directions, or ns; 1 for success and limits"`
	Rails    []float64 `json:"rails,omitempty" about:"median of the tests of each rail, if there are several"`
	Noise    float64   `json:"noise" about:"standard deviation of the logarithm of a test's figure, without tests of suspected nodes"`
	Smallest float64   `json:"smallest" about:"the smallest slowdown that could have been found, as a share"`
}

// The states of a node.
const (
	Good      = "good"
	Bad       = "bad"
	Undecided = "undecided"
	Lost      = "lost"
	Missing   = "missing"
)

// A Node is a rank, or one of several devices of a rank, and the verdict about it.
type Node struct {
	Rank     int        `json:"rank"`
	Rail     int        `json:"rail,omitempty" about:"place of the device in -d, from 0"`
	Name     string     `json:"name" about:"of the host; empty: the rank did not appear"`
	Device   string     `json:"device" about:"empty: not known"`
	Group    string     `json:"group,omitempty" about:"the leaf switch, as --topology or the launcher says; empty: not known"`
	State    string     `json:"state" about:"good, bad, undecided, lost (during the run) or missing (it did not appear)"`
	Why      string     `json:"why" about:"reason for the state; empty: good"`
	Evidence []Evidence `json:"evidence"`
}

// Evidence holds what one figure says about a node.
type Evidence struct {
	Figure   string  `json:"figure"`
	State    string  `json:"state" about:"good, bad or undecided"`
	Sum      float64 `json:"sum" about:"log likelihood ratio of slower against like the others, of the tests that count"`
	Limit    float64 `json:"limit" about:"of the sum, above which the node is bad"`
	Tests    int     `json:"tests"`
	Partners int     `json:"partners"`
	Ratio    float64 `json:"ratio" about:"median of the node's tests over the median of all; below 1: slower; 0: no test"`
}

// A Pair is two good nodes whose tests with each other are low.
type Pair struct {
	A      int    `json:"a" about:"index in nodes, which is the rank if ranks have one device"`
	B      int    `json:"b"`
	Figure string `json:"figure"`
}

// A Test is one test of two nodes.
type Test struct {
	Round     int       `json:"round"`
	A         int       `json:"a" about:"server: index in nodes, which is the rank if ranks have one device"`
	B         int       `json:"b" about:"client"`
	Time      time.Time `json:"time" about:"when it ended"`
	Seconds   float64   `json:"seconds" about:"that it took, with the start of its processes"`
	Bandwidth float64   `json:"bandwidth_bytes_per_s,omitempty" about:"of both directions"`
	MedianNs  float64   `json:"latency_p50_ns,omitempty"`
	P99Ns     float64   `json:"latency_p99_ns,omitempty"`
	Error     string    `json:"error,omitempty" about:"why there is no figure"`
}

// Pair returns the nodes of a test, the lower one first.
func (t *Test) Pair() [2]int { return [2]int{min(t.A, t.B), max(t.A, t.B)} }

// AllFailed reports whether there were tests and none has a figure.
func (d *Document) AllFailed() bool {
	return len(d.Tests) > 0 && !slices.ContainsFunc(d.Tests, func(t Test) bool { return t.Error == "" })
}

// Devices returns the names of the devices, and whether they are software.
func (d *Document) Devices() string {
	var names []string
	for _, n := range d.Nodes {
		if n.Device != "" && !slices.Contains(names, n.Device) {
			names = append(names, n.Device)
		}
	}
	text := strings.Join(names, ", ")
	if d.Software {
		text += " (software)"
	}
	return text
}

// Write writes the document into a folder.
func (d *Document) Write(dir string) error {
	d.Header = result.Header{Format: FormatName, Version: FormatVersion}
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, FileName)
	if err := atomicfile.Write(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
