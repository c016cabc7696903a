package conform

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// FormatName and FormatVersion identify the JSON form of a [Report].
const (
	FormatName    = "ibperf-conform"
	FormatVersion = 1
)

// Report is the outcome of a run.
type Report struct {
	result.Header
	Release   string            `json:"release"` // ibperf's own version
	Command   []string          `json:"command"`
	Host      string            `json:"host"`
	Kernel    string            `json:"kernel"`
	Libraries map[string]string `json:"libraries"` // backend name -> version
	Started   time.Time         `json:"started"`
	Finished  time.Time         `json:"finished"`
	Device    Device            `json:"device"`
	Peer      *Peer             `json:"peer,omitempty"`   // nil: peers were processes on this host
	Quirks    []Quirk           `json:"quirks"`           // quirks that apply to the device
	Unmatched []Unmatched       `json:"unmatched_quirks"` // quirks that do not apply, or that no statement of the run met
	Error     string            `json:"error,omitempty"`  // why not all chosen statements were run

	Counts     Counts      `json:"counts"`
	Statements []Statement `json:"statements"` // in the order of the list

	Capabilities json.RawMessage `json:"capabilities,omitempty"` // what ib_caps says of the device
	CapsText     string          `json:"-"`                      // the same as text
}

// Peer is the server that started the second processes of statements.
type Peer struct {
	Address string `json:"address"`
	Device  string `json:"device"`
	Release string `json:"release"`
}

// Quirk is a known deviation of the device.
type Quirk struct {
	ID     string `json:"id"`
	Does   string `json:"does"`
	Source string `json:"source"`
}

// Unmatched is a quirk without an effect.
type Unmatched struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Counts holds the numbers of statements by their results.
type Counts struct {
	OK      int `json:"ok"`
	Quirk   int `json:"quirk"`
	Allowed int `json:"allowed"`
	Skipped int `json:"skipped"`
	Differs int `json:"differs"`
	LeftOut int `json:"left_out"` // chosen, but not asserted by the suite
	NotRun  int `json:"not_run"`  // because the run ended early
}

// Statement is the outcome of one statement.
type Statement struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Source    string   `json:"source"`
	Result    string   `json:"result"`             // ok, quirk, allowed, skipped, differs
	Reason    string   `json:"reason,omitempty"`   // of results other than ok
	Hardware  string   `json:"hardware,omitempty"` // what hardware may do instead, and why
	Quirks    []string `json:"quirks,omitempty"`   // ids of the quirks that the device showed
	NotRun    []string `json:"not_run,omitempty"`  // cases of the statement that were skipped, each with its reason
	PeerTook  bool     `json:"second_process"`     // a peer took part
	DurationS float64  `json:"duration_s"`         //
	Output    []string `json:"said,omitempty"`     // output of the statement, unless the result is ok or skipped
}

// Describe stores the device and quirks of the resolved target in the report.
func (r *Report) Describe(target verbstest.Target) (err error) {
	for _, q := range target.Quirks {
		r.Quirks = append(r.Quirks, Quirk{q.ID, q.Does, q.Source})
	}
	r.Device, err = describe(target)
	return err
}

// Add adds the result of a statement, and returns it as in the report.
func (r *Report) Add(result verbstest.Result) Statement {
	rows := verbstest.Coverage()
	row := rows[slices.IndexFunc(rows, func(row verbstest.Row) bool { return row.ID == result.ID })]
	s := Statement{
		ID: row.ID, Text: row.Text, Source: row.Source, Result: string(result.Outcome), Reason: result.Reason, Hardware: row.May,
		Quirks: result.Quirks, NotRun: result.Partly, PeerTook: result.Peer, DurationS: result.Took.Seconds(),
	}
	if result.Outcome != verbstest.Holds && result.Outcome != verbstest.Skipped {
		s.Output = result.Output
	}
	r.Counts.count(result.Outcome)
	r.Statements = append(r.Statements, s)
	return s
}

func (c *Counts) count(o verbstest.Outcome) {
	*map[verbstest.Outcome]*int{
		verbstest.Holds: &c.OK, verbstest.Known: &c.Quirk, verbstest.Allowed: &c.Allowed,
		verbstest.Skipped: &c.Skipped, verbstest.Differs: &c.Differs,
	}[o]++
}

// Run returns the number of statements that were run.
func (c *Counts) Run() int { return c.OK + c.Quirk + c.Allowed + c.Skipped + c.Differs }

// WithPeer returns the ids of the statements that a second process took part in.
func (r *Report) WithPeer() (ids []string) {
	for _, s := range r.Statements {
		if s.PeerTook {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Conclude stores which quirks had no effect.
func (r *Report) Conclude(target verbstest.Target) {
	for _, u := range target.Unmatched {
		r.Unmatched = append(r.Unmatched, Unmatched{u.Quirk.ID, u.Why})
	}
	for _, q := range target.Quirks {
		names := func(s Statement) bool { return slices.Contains(q.Statements, s.ID) || slices.Contains(q.Fails, s.ID) }
		met := func(s Statement) bool { return slices.Contains(s.Quirks, q.ID) }
		if slices.ContainsFunc(r.Statements, names) && !slices.ContainsFunc(r.Statements, met) {
			r.Unmatched = append(r.Unmatched, Unmatched{q.ID, "the device did not show it in " + strings.Join(slices.Concat(q.Statements, q.Fails), ", ")})
		}
	}
}

// Libraries returns the version of each backend's library.
func Libraries() map[string]string {
	versions := map[string]string{}
	for _, b := range verbs.Backends() {
		versions[b.Name()] = b.Version()
	}
	return versions
}

// Differing returns the ids of the statements that do not hold.
func (r *Report) Differing() (ids []string) {
	for _, s := range r.Statements {
		if s.Result == string(verbstest.Differs) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
