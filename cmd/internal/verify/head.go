// Package verify has the journal of ib_verify: its first line (head.go), its checkpoints (checkpoint.go,
// side.go), the file (journal.go), the sums of all checkpoints (totals.go), and the report made of them (report.go).
package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// FormatName and FormatVersion identify a journal, in the member "format" of its first line.
const (
	FormatName    = "ibperf-verify"
	FormatVersion = 1
)

// longestRow is the longest time of one operation and size between two checkpoints.
const longestRow = 5 * time.Second

// A Head is the first line of a journal: what is checked, and for how long.
type Head struct {
	result.Header
	Release  string          `json:"release"` // of ibperf
	Command  []string        `json:"command"`
	Started  time.Time       `json:"started"`
	Duration float64         `json:"duration_s"` // of all checks together
	Cycles   int             `json:"cycles"`     // through all operations; each ends with a checkpoint of each operation
	Ops      []option.Op     `json:"operations"`
	Options  json.RawMessage `json:"options"` // of each test, as its plan in JSON

	plan option.Plan // made of Options
}

// NewHead returns the head of checks for a time, each with the options of a plan.
func NewHead(release string, command []string, plan *option.Plan, total time.Duration) (*Head, error) {
	h := &Head{
		Header: result.Header{Format: FormatName, Version: FormatVersion}, Release: release, Command: command, Started: time.Now().UTC(),
		Duration: total.Seconds(), Ops: operations(plan),
	}
	rows := time.Duration(len(h.Ops) * len(plan.Sizes))
	h.plan = *plan
	h.plan.Duration = max(time.Millisecond, min(longestRow, total/rows))
	h.Cycles = int(max(1, math.Round(float64(total)/float64(rows*h.plan.Duration))))
	var err error
	h.Options, err = h.plan.EncodeGiven()
	return h, err
}

// operations returns the operations of a transport that are checked. An atomic operation has 8 bytes at the peer
// and no data that arrives in parts.
func operations(p *option.Plan) []option.Op {
	return slices.DeleteFunc(option.Ops(), func(op option.Op) bool { return op == option.OpAtomic || !p.Transport.Carries(op) })
}

// Plan returns the plan of an operation between two checkpoints.
func (h *Head) Plan(op option.Op) option.Plan {
	p := h.plan
	p.Op = op
	return p
}

// decodeHead decodes the first line of a journal.
func decodeHead(line []byte) (*Head, error) {
	h := &Head{}
	if err := result.Decode(line, FormatName, FormatVersion, h); err != nil {
		return nil, err
	}
	base := option.VerifySettings().Test
	plan, unknown, err := option.Decode(base, h.Options)
	switch {
	case err != nil:
		return nil, err
	case len(unknown) > 0:
		return nil, fmt.Errorf("it has options that this release does not have: %q", unknown)
	case h.Cycles < 1 || len(h.Ops) == 0:
		return nil, fmt.Errorf("%d cycles of %d operations", h.Cycles, len(h.Ops))
	}
	for _, op := range h.Ops {
		p := plan
		p.Op = op
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	h.plan = plan
	return h, nil
}
