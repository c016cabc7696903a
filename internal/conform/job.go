package conform

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// Job is the work of a worker.
type Job struct {
	Device     string   `json:"device"`
	Port       int      `json:"port"`
	GIDIndex   int      `json:"gid_index"`
	QuirksFile string   `json:"quirks_file,omitempty"` // name of the file of quirks, for errors
	Quirks     string   `json:"quirks,omitempty"`      // text of the file
	IDs        []string `json:"ids"`                   // ids of the statements, in the order of running
	Server     *Server  `json:"server,omitempty"`      // starts the peers; nil: they run on this host
}

// Target returns the device with its port, GID and quirks.
func (j *Job) Target() (verbstest.Target, error) {
	device, err := verbs.Lookup(j.Device)
	if err != nil {
		return verbstest.Target{}, err
	}
	more, err := verbstest.ParseQuirks(j.QuirksFile, j.Quirks)
	if err != nil {
		return verbstest.Target{}, err
	}
	target := verbstest.TargetOf(device, more...)
	target.Port, target.GIDIndex = j.Port, j.GIDIndex
	if j.Server != nil {
		target.Peer = j.Server.startPeer
	}
	return target, target.Resolve()
}

// Choose returns the statements whose whole id matches, including those that the suite leaves out.
func Choose(pattern *regexp.Regexp) (rows []verbstest.Row) {
	for _, row := range verbstest.Coverage() {
		if pattern.MatchString(row.ID) {
			rows = append(rows, row)
		}
	}
	return rows
}

// Pattern compiles a regular expression for whole ids.
func Pattern(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	return regexp.Compile("^(?:" + text + ")$")
}

// Asserted returns the ids of the statements that can be run.
func Asserted(rows []verbstest.Row) (ids []string) {
	for _, row := range rows {
		if row.LeftOut == "" {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// List returns a text of statements with their sources.
func List(rows []verbstest.Row) string {
	var b strings.Builder
	for _, row := range rows {
		text := row.Text
		if row.LeftOut != "" {
			text = "left out: " + row.LeftOut
		}
		fmt.Fprintf(&b, "%-8s %s\n         source: %s\n", row.ID, text, row.Source)
		if row.May != "" {
			fmt.Fprintf(&b, "         hardware may differ: %s\n", row.May)
		}
	}
	return b.String()
}
