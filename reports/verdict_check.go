package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
)

// checks sum up what checking every byte found.
type checks struct {
	data   tally // rows of mode data, as promised
	forced tally // without a promise
	other  tally // modes poll and event

	promised  []string // operations whose order is promised: "WRITE", with the devices where runs differ in them
	worthless []string // those on devices that brought wrong data after a completion

	measured map[string][]int // sizes of rows of mode data that are no forced ones, by operation
}

// A site is a device of a host, and an operation where that matters.
type site struct{ host, device, op string }

func siteOf(s *result.Side, op string) site { return site{s.Host, s.Device.Name, op} }

// text names the device.
func (p site) text() string { return Clean(p.device) + " on " + Clean(p.host) }

// A tally is the messages of some rows that were checked.
type tally struct {
	result.Verify
	ops    []string          // that they are of
	counts map[string]uint64 // messages of each
	bad    []string          // those of them that were not as sent: "WRITE", "WRITE in poll"
	sizes  map[string][]int  // of these, those that were wrong
	all    map[string][]int  // and all
	sites  []site            // the devices that waited for what was wrong
}

func checksOf(runs []*result.File) checks {
	c := checks{measured: map[string][]int{}}
	names := namingOf(runs)
	for _, f := range runs {
		op := opWord(f.Op) + names.of(f)
		if keepsOrder(f) && !slices.Contains(c.promised, op) {
			c.promised = append(c.promised, op)
		}
		for i := range f.Rows {
			c.add(f, op, &f.Rows[i])
		}
	}
	for _, f := range runs {
		if c.wrongIn(f) {
			c.worthless = addNew(c.worthless, opWord(f.Op)+names.of(f))
		}
	}
	return c
}

func (c *checks) add(f *result.File, op string, r *result.Row) {
	sum := &c.other
	if r.Mode == "data" {
		if sum = &c.data; r.Forced {
			sum = &c.forced
		}
		if !r.Forced {
			c.measured[op] = addNewSize(c.measured[op], r.Size)
		}
	}
	if r.Verify == nil {
		return
	}
	sum.Add(*r.Verify)
	sum.ops = addNew(sum.ops, op)
	if r.Mode != "data" {
		op += " in " + r.Mode
	}
	if sum.all == nil {
		sum.counts = map[string]uint64{}
		sum.sizes, sum.all = map[string][]int{}, map[string][]int{}
	}
	sum.counts[op] += r.Verify.Messages
	sum.all[op] = addNewSize(sum.all[op], r.Size)
	if r.Verify.Bad() == 0 {
		return
	}
	sum.bad = addNew(sum.bad, op)
	sum.sizes[op] = addNewSize(sum.sizes[op], r.Size)
	for _, s := range waitingSides(f) {
		if p := siteOf(s, f.Op); !slices.Contains(sum.sites, p) {
			sum.sites = append(sum.sites, p)
		}
	}
}

// bad tells whether any data was wrong.
func (c *checks) bad() bool { return c.data.Bad()+c.forced.Bad()+c.other.Bad() > 0 }

// brokenBy tells whether a device brought wrong data in mode data of an operation although
// it promises an order.
func (c *checks) brokenBy(s *result.Side, op string) bool {
	return slices.Contains(c.data.sites, siteOf(s, op))
}

// wrongBy tells whether a device brought wrong data after a completion, of any operation:
// then nothing that was measured on it is worth anything.
func (c *checks) wrongBy(s *result.Side) bool {
	return slices.ContainsFunc(c.other.sites, func(p site) bool { return p.host == s.Host && p.device == s.Device.Name })
}

// wrongIn tells that of a device that waits in a run.
func (c *checks) wrongIn(f *result.File) bool { return slices.ContainsFunc(waitingSides(f), c.wrongBy) }

// waitingSides are the sides of a run that wait for messages.
func waitingSides(f *result.File) []*result.Side {
	var sides []*result.Side
	here, peer := waiting(f)
	if here {
		sides = append(sides, &f.Local)
	}
	if peer {
		sides = append(sides, &f.Peer)
	}
	return sides
}

// opWord is an operation as verbs name it.
func opWord(op string) string { return strings.ToUpper(Clean(op)) }

// lines say whether data was as sent.
func (c *checks) lines() []string {
	var lines []string
	if c.other.Bad() > 0 {
		lines = append(lines, "WRONG AFTER A COMPLETION: "+c.other.text("modes poll and event")+
			". Trust nothing on "+c.other.devices()+" before that is explained.")
	}
	switch {
	case c.forced.Bad() > 0:
		lines = append(lines, "WRONG: "+c.forced.text("mode data, forced without a promise,")+".")
	case c.forced.Messages > 0:
		lines = append(lines, "Forced data was as sent in "+thousands(c.forced.Messages)+" messages that were checked, which is no promise.")
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
		lines = append(lines, "Whether that is kept was not checked here: ib_compare or --verify does.")
	case len(c.promised) == 0 && c.other.Messages > 0 && c.other.Bad() == 0:
		lines = append(lines, "After completions: "+thousands(c.other.Messages)+" messages of modes poll and event were checked, every byte was as sent.")
	}
	return lines
}

// keptLine says of which operations and sizes all data that was checked was as sent, and
// which operations that are promised were not checked.
func (c *checks) keptLine() string {
	var kept, sizes, left []string
	for _, op := range without(without(c.data.ops, c.data.bad), c.worthless) {
		checked := slices.Sorted(slices.Values(c.data.all[op]))
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(checked, c.measured[op]))))
		of := " of " + sizeRanges(all, checked) + " bytes"
		kept = append(kept, op+" "+thousands(c.data.counts[op])+of)
		sizes = addNew(sizes, of)
	}
	if len(kept) == 0 {
		return ""
	}
	line := joined(kept)
	if len(sizes) == 1 { // of all alike
		line = strings.ReplaceAll(line, sizes[0], "")
		if len(kept) > 1 {
			line += ", each"
		}
		line += sizes[0]
	}
	for _, op := range without(c.promised, c.worthless) {
		if len(c.data.all[op]) == 0 {
			left = append(left, op)
		}
	}
	line = "Kept in all messages of mode data that were checked byte by byte: " + line + " (torn 0, stale 0, duplicates 0)."
	if len(left) > 0 {
		line += " Not checked: " + joined(left) + "."
	}
	return line
}

// text says how many messages of modes were wrong, how, and where.
func (t *tally) text(modes string) string {
	var where []string
	for _, op := range t.bad {
		slices.Sort(t.sizes[op])
		slices.Sort(t.all[op])
		where = append(where, op+" of "+sizeRanges(t.all[op], t.sizes[op])+" bytes")
	}
	return fmt.Sprintf("%s of %s messages of %s that were checked were not as sent (torn %s, stale %s, duplicates %s; %s)", thousands(t.Bad()),
		thousands(t.Messages), modes, thousands(t.Torn), thousands(t.Stale), thousands(t.Duplicates), strings.Join(where, ", "))
}

// devices names those that waited for what was wrong.
func (t *tally) devices() string {
	var names []string
	for _, p := range t.sites {
		names = addNew(names, p.text())
	}
	return joined(names)
}

// without lists those words that are not among others.
func without(words, others []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) })
}

// thousands prints a count as 12,345,678.
func thousands(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
