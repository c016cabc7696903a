package conform

import (
	"slices"
	"time"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// FormatName and FormatVersion identify the document that JSON writers make of a [Report].
const (
	FormatName    = "ibperf-conform"
	FormatVersion = 1
)

// Report is what became of a run.
type Report struct {
	Format    string            `json:"format"`
	Version   int               `json:"version"`
	Release   string            `json:"release"` // ibperf's own version
	Command   []string          `json:"command"`
	Host      string            `json:"host"`
	Kernel    string            `json:"kernel"`
	Libraries map[string]string `json:"libraries"` // backend name -> version
	Started   time.Time         `json:"started"`
	Finished  time.Time         `json:"finished"`
	Device    Device            `json:"device"`
	Peer      *Peer             `json:"peer,omitempty"`    // nil: peers were processes on this host
	Quirks    []Quirk           `json:"quirks"`            // that apply to the device
	Skipped   string            `json:"skipped,omitempty"` // why no statement was run
	Error     string            `json:"error,omitempty"`   // why not all of them were

	Counts     Counts      `json:"counts"`
	Statements []Statement `json:"statements"` // in the order of the list
}

// Device is what was held to the statements.
type Device struct {
	Name     string `json:"name"`
	Backend  string `json:"backend"`
	Software string `json:"software,omitempty"` // what stands in for hardware, "" for a real device
	Port     int    `json:"port"`
	GIDIndex int    `json:"gid_index"`
	GID      string `json:"gid,omitempty"`
}

// Peer is the server that started the second processes of statements.
type Peer struct {
	Address string `json:"address"`
	Device  string `json:"device"`
	Release string `json:"release"`
}

// Quirk is what is known of the device.
type Quirk struct {
	ID     string `json:"id"`
	Does   string `json:"does"`
	Source string `json:"source"`
}

// Counts are of statements, by their results.
type Counts struct {
	OK      int `json:"ok"`
	Quirk   int `json:"quirk"`
	Allowed int `json:"allowed"`
	Skipped int `json:"skipped"`
	Differs int `json:"differs"`
	LeftOut int `json:"left_out"` // chosen, and not asserted by the suite
	NotRun  int `json:"not_run"`  // since the run ended before
}

// Statement is what became of a statement.
type Statement struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Source    string   `json:"source"`
	Result    string   `json:"result"`             // ok, quirk, allowed, skipped, differs
	Reason    string   `json:"reason,omitempty"`   // of results other than ok
	Hardware  string   `json:"hardware,omitempty"` // what hardware may rightly do instead, and why that is right
	Quirks    []string `json:"quirks,omitempty"`   // ids of those that were met
	NotRun    []string `json:"not_run,omitempty"`  // cases of the statement that were skipped, each with its reason
	PeerTook  bool     `json:"second_process"`     // a peer took part
	DurationS float64  `json:"duration_s"`         //
	Said      []string `json:"said,omitempty"`     // while it ran, unless the result is ok or skipped
}

// Describe fills in the target.
func (r *Report) Describe(target verbstest.Target) error {
	d := target.Device
	r.Device = Device{Name: d.Name(), Backend: d.Backend(), Software: d.Software(), Port: target.Port, GIDIndex: target.GIDIndex}
	for _, q := range target.Quirks {
		r.Quirks = append(r.Quirks, Quirk{q.ID, q.Does, q.Source})
	}
	if target.GIDIndex < 0 {
		return nil // it is held to no statement
	}
	ctx, err := d.Open()
	if err != nil {
		return err
	}
	defer ctx.Close()
	entry, err := ctx.QueryGID(target.Port, target.GIDIndex)
	r.Device.GID = entry.GID.String()
	return err
}

// Add takes the result of a statement, and returns it as the report has it.
func (r *Report) Add(result verbstest.Result) Statement {
	rows := verbstest.Coverage()
	row := rows[slices.IndexFunc(rows, func(row verbstest.Row) bool { return row.ID == result.ID })]
	s := Statement{
		ID: row.ID, Text: row.Says, Source: row.Source, Result: string(result.Outcome), Reason: result.Reason, Hardware: row.May,
		Quirks: result.Quirks, NotRun: result.Partly, PeerTook: result.Peer, DurationS: result.Took.Seconds(),
	}
	if result.Outcome != verbstest.Holds && result.Outcome != verbstest.Skipped {
		s.Said = result.Said
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

// Run is how many statements were run.
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

// Libraries returns the versions of what the backends stand on.
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
