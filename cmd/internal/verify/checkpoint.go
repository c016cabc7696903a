package verify

import (
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Checkpoint is a line of a journal: the checks of one operation, at all sizes and in both directions, since the
// checkpoint before.
type Checkpoint struct {
	Time    time.Time `json:"time"`
	Cycle   int       `json:"cycle"` // from 1
	Op      option.Op `json:"operation"`
	Seconds float64   `json:"seconds"` // of checking
	Sizes   []Size    `json:"sizes"`
	Client  Side      `json:"client"`
	Server  Side      `json:"server"`

	Resumed bool     `json:"resumed,omitempty"` // the first checkpoint after --resume
	Changed []string `json:"changed,omitempty"` // since the checkpoint before, such as the GID of a side
	Error   string   `json:"error,omitempty"`   // why the checks of the operation ended early; they are repeated
}

// A Size is what was checked at one message size.
type Size struct {
	Bytes      int               `json:"size_bytes"`
	Mode       option.Mode       `json:"mode"`   // data: arrival was detected in memory
	Forced     bool              `json:"forced"` // mode data without the device's promise
	FromClient uint64            `json:"messages_from_client"`
	FromServer uint64            `json:"messages_from_server"`
	Checked    uint64            `json:"checked"` // of both sides, warm-ups included
	Torn       uint64            `json:"torn"`
	Stale      uint64            `json:"stale"`
	Duplicates uint64            `json:"duplicates"`
	First      string            `json:"first,omitempty"`    // details of the first corrupted message
	Counters   map[string]uint64 `json:"counters,omitempty"` // that grew, of the client's port
}

// Bad returns the number of corrupted messages.
func (s *Size) Bad() uint64 { return s.Torn + s.Stale + s.Duplicates }

// Of returns the checkpoint of a client's result file. It is nil without a row: nothing was checked.
func Of(f *result.File, cycle int) *Checkpoint {
	if f == nil || len(f.Rows) == 0 {
		return nil
	}
	c := &Checkpoint{Time: f.Finished, Cycle: cycle, Op: f.Op, Client: sideOf(&f.Local), Server: sideOf(&f.Peer), Error: f.Error}
	for i := range f.Rows {
		r := &f.Rows[i]
		s := Size{Bytes: r.Size, Mode: r.Mode, Forced: r.Forced, Counters: grown(r.Local.Counters)}
		if v := r.Verify; v != nil {
			s.Checked, s.Torn, s.Stale, s.Duplicates, s.First = v.Messages, v.Torn, v.Stale, v.Duplicates, v.First
		}
		if r.FromClient != nil && r.FromServer != nil {
			s.FromClient, s.FromServer = r.FromClient.Messages, r.FromServer.Messages
		}
		if r.Bandwidth != nil {
			c.Seconds += r.Bandwidth.Seconds
		}
		c.Sizes = append(c.Sizes, s)
	}
	return c
}

// grown returns the counters that grew.
func grown(all map[string]uint64) map[string]uint64 {
	some := map[string]uint64{}
	for name, n := range all {
		if n > 0 {
			some[name] = n
		}
	}
	return some
}

// Bad returns the number of corrupted messages.
func (c *Checkpoint) Bad() (n uint64) {
	for i := range c.Sizes {
		n += c.Sizes[i].Bad()
	}
	return n
}
