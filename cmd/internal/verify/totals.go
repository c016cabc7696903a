package verify

import (
	"cmp"
	"slices"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Totals are the sums of all checkpoints of a journal.
type Totals struct {
	Seconds  float64   // of checking
	Sittings int       // times that checking began
	From, To time.Time // first and last checkpoint
	Changed  []string
	Client   Side // of the last checkpoint
	Server   Side
	Sums     []Sum
}

// A Sum is that of an operation at a size in one mode.
type Sum struct {
	Op option.Op
	Size
}

// add adds a checkpoint.
func (t *Totals) add(c *Checkpoint) {
	if t.From.IsZero() {
		t.From = c.Time
	}
	if c.Resumed || t.Sittings == 0 {
		t.Sittings++
	}
	t.Seconds += c.Seconds
	t.To, t.Client, t.Server = c.Time, c.Client, c.Server
	for _, change := range c.Changed {
		t.Changed = append(t.Changed, c.Time.Format(time.RFC3339)+" "+change)
	}
	for _, s := range c.Sizes {
		i := slices.IndexFunc(t.Sums, func(o Sum) bool {
			return o.Op == c.Op && o.Bytes == s.Bytes && o.Mode == s.Mode && o.Forced == s.Forced
		})
		if i < 0 {
			t.Sums = append(t.Sums, Sum{c.Op, Size{Bytes: s.Bytes, Mode: s.Mode, Forced: s.Forced}})
			i = len(t.Sums) - 1
		}
		sum := &t.Sums[i]
		sum.FromClient += s.FromClient
		sum.FromServer += s.FromServer
		sum.Checked += s.Checked
		sum.Torn += s.Torn
		sum.Stale += s.Stale
		sum.Duplicates += s.Duplicates
		sum.First = cmp.Or(sum.First, s.First)
	}
}

// Checked returns the number of messages that were checked, and how many of them were corrupted.
func (t *Totals) Checked() (all, bad uint64) {
	for i := range t.Sums {
		all += t.Sums[i].Checked
		bad += t.Sums[i].Bad()
	}
	return all, bad
}

// Wrong returns the sums with corrupted messages, as rows of a result.
func (t *Totals) Wrong() (rows []result.Row) {
	for i := range t.Sums {
		if s := &t.Sums[i]; s.Bad() > 0 {
			v := &result.Verify{Messages: s.Checked, Torn: s.Torn, Stale: s.Stale, Duplicates: s.Duplicates, First: s.First}
			rows = append(rows, result.Row{Size: s.Bytes, Mode: s.Mode, Verify: v})
		}
	}
	return rows
}

// InMemory returns the number of messages whose arrival was detected in memory.
func (t *Totals) InMemory() (n uint64) {
	for i := range t.Sums {
		if t.Sums[i].Mode == option.ModeData {
			n += t.Sums[i].Checked
		}
	}
	return n
}
