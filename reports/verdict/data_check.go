package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/internal/units"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// checks sums up the results of checking every byte.
type checks struct {
	data   checkedMessages // mode data with a promise
	forced checkedMessages // mode data without a promise
	other  checkedMessages // modes that poll the CQ

	promised  []string // operations with a promise: "WRITE", with the devices if runs differ in them
	untrusted []string // operations on devices whose data was corrupt after a completion

	measured map[string][]int // sizes of mode data with a promise, by operation
}

// A site is a device of a host, and an operation if it matters.
type site struct {
	host, device string
	op           option.Op
}

func siteOf(s *result.Side, op option.Op) site { return site{s.Host, s.Device.Name, op} }

// text names the device.
func (p site) text() string { return printable.Clean(p.device) + " on " + printable.Clean(p.host) }

// checkedMessages counts the checked messages of some rows.
type checkedMessages struct {
	result.Verify
	ops    []string          // operations
	counts map[string]uint64 // messages of each operation
	bad    []string          // operations with corrupt messages: "WRITE", "WRITE in poll"
	sizes  map[string][]int  // sizes with corrupt messages, by operation
	all    map[string][]int  // all sizes, by operation
	sites  []site            // devices that received corrupt data
}

func checksOf(runs []*result.File) checks {
	c := checks{measured: map[string][]int{}}
	names := namingOf(runs)
	for _, f := range runs {
		op := opWord(f.Op) + names.suffix(f)
		if keepsOrder(f) && !slices.Contains(c.promised, op) {
			c.promised = append(c.promised, op)
		}
		for i := range f.Rows {
			c.add(f, op, &f.Rows[i])
		}
	}
	for _, f := range runs {
		if c.corruptsIn(f) {
			c.untrusted = phrase.AddNew(c.untrusted, opWord(f.Op)+names.suffix(f))
		}
	}
	return c
}

func (c *checks) add(f *result.File, op string, r *result.Row) {
	sum := &c.other
	if r.Mode == option.ModeData {
		if sum = &c.data; r.Forced {
			sum = &c.forced
		}
		if !r.Forced {
			c.measured[op] = phrase.AddNew(c.measured[op], r.Size)
		}
	}
	if r.Verify == nil {
		return
	}
	sum.Add(*r.Verify)
	sum.ops = phrase.AddNew(sum.ops, op)
	if r.Mode != option.ModeData {
		op += " in " + string(r.Mode)
	}
	if sum.all == nil {
		sum.counts = map[string]uint64{}
		sum.sizes, sum.all = map[string][]int{}, map[string][]int{}
	}
	sum.counts[op] += r.Verify.Messages
	sum.all[op] = phrase.AddNew(sum.all[op], r.Size)
	if r.Verify.Bad() == 0 {
		return
	}
	sum.bad = phrase.AddNew(sum.bad, op)
	sum.sizes[op] = phrase.AddNew(sum.sizes[op], r.Size)
	for _, s := range rows.WaitingSides(f) {
		if p := siteOf(s, f.Op); !slices.Contains(sum.sites, p) {
			sum.sites = append(sum.sites, p)
		}
	}
}

// bad reports whether any data was corrupt.
func (c *checks) bad() bool { return c.data.Bad()+c.forced.Bad()+c.other.Bad() > 0 }

// breaksPromise reports whether a device promises an order, and data of an operation was corrupt in
// mode data.
func (c *checks) breaksPromise(s *result.Side, op option.Op) bool {
	return slices.Contains(c.data.sites, siteOf(s, op))
}

// corruptsAfterCompletion reports whether data of any operation was corrupt after a completion on a
// device. Then no result from that device is reliable.
func (c *checks) corruptsAfterCompletion(s *result.Side) bool {
	return slices.ContainsFunc(c.other.sites, func(p site) bool { return p.host == s.Host && p.device == s.Device.Name })
}

// corruptsIn reports whether data was corrupt after a completion on a device that waits in a run.
func (c *checks) corruptsIn(f *result.File) bool {
	return slices.ContainsFunc(rows.WaitingSides(f), c.corruptsAfterCompletion)
}

// opWord returns the name of an operation in verbs.
func opWord(op option.Op) string { return strings.ToUpper(printable.Clean(string(op))) }

// lines returns what the data checks found.
func (c *checks) lines() []string {
	var lines []string
	if c.other.Bad() > 0 {
		lines = append(lines, "CORRUPT AFTER A COMPLETION: "+c.other.text("modes that poll the CQ")+
			". Do not trust any result from "+c.other.devices()+" until this is understood.")
	}
	switch {
	case c.forced.Bad() > 0:
		lines = append(lines, "CORRUPT: "+c.forced.text("mode data, forced without a promise,")+".")
	case c.forced.Messages > 0:
		lines = append(lines, "Forced data was correct in all "+thousands(c.forced.Messages)+" checked messages, which is no promise.")
	}
	if c.data.Bad() > 0 {
		lines = append(lines, "BROKEN: "+c.data.text("mode data")+". Do not poll memory on "+c.data.devices()+".")
	}
	kept := c.keptLine()
	switch {
	case kept != "":
		lines = append(lines, kept)
	case c.data.Messages > 0:
	case len(c.measured) > 0 && len(c.promised) > 0:
		lines = append(lines, "The promise was not verified in this run; use --verify or ib_compare.")
	case len(c.promised) == 0 && c.other.Messages > 0 && c.other.Bad() == 0:
		lines = append(lines, "After completions: "+thousands(c.other.Messages)+" messages of modes that poll the CQ were checked, every byte was correct.")
	}
	return lines
}

// keptLine lists the operations and sizes whose checked data was correct, and the operations with a
// promise that were not checked.
func (c *checks) keptLine() string {
	var kept, sizes, left []string
	for _, op := range without(without(c.data.ops, c.data.bad), c.untrusted) {
		checked := slices.Sorted(slices.Values(c.data.all[op]))
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(checked, c.measured[op]))))
		text := " of " + phrase.SizeRanges(all, checked) + " bytes"
		kept = append(kept, op+" "+thousands(c.data.counts[op])+text)
		sizes = phrase.AddNew(sizes, text)
	}
	if len(kept) == 0 {
		return ""
	}
	line := phrase.List(kept)
	if len(sizes) == 1 { // the same for all operations
		line = strings.ReplaceAll(line, sizes[0], "")
		if len(kept) > 1 {
			line += ", each"
		}
		line += sizes[0]
	}
	for _, op := range without(c.promised, c.untrusted) {
		if len(c.data.all[op]) == 0 {
			left = append(left, op)
		}
	}
	line = "Kept in all messages of mode data whose bytes were checked: " + line + " (torn 0, stale 0, duplicates 0)."
	if len(left) > 0 {
		line += " Not checked: " + phrase.List(left) + "."
	}
	return line
}

// text returns how many messages of modes were corrupt, how, and where.
func (t *checkedMessages) text(modes string) string {
	var where []string
	for _, op := range t.bad {
		slices.Sort(t.sizes[op])
		slices.Sort(t.all[op])
		where = append(where, op+" of "+phrase.SizeRanges(t.all[op], t.sizes[op])+" bytes")
	}
	return fmt.Sprintf("%s of %s checked messages of %s were corrupt (torn %s, stale %s, duplicates %s; %s)", thousands(t.Bad()),
		thousands(t.Messages), modes, thousands(t.Torn), thousands(t.Stale), thousands(t.Duplicates), strings.Join(where, ", "))
}

// devices names the devices that received corrupt data.
func (t *checkedMessages) devices() string {
	var names []string
	for _, p := range t.sites {
		names = phrase.AddNew(names, p.text())
	}
	return phrase.List(names)
}

// without returns the words that are not among others.
func without(words, others []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) })
}

var thousands = units.Count
