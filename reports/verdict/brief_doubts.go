package verdict

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/result"
)

// The ids of doubts.
const (
	doubtEnded       = "ended-early"
	doubtForced      = "forced"
	doubtNUMANode    = "numa-node"
	doubtDisturbed   = "disturbed"
	doubtControl     = "control"
	doubtUnsteady    = "unsteady"
	doubtLost        = "lost"
	doubtNotCompared = "not-compared"
	doubtNotMeasured = "not-measured"
	doubtOpcode      = "opcode"
	doubtRouting     = "routing"
)

// doubts returns what makes figures doubtful, the worst first.
func (f *findings) doubts() (all []Doubt) {
	add := func(d Doubt, some bool) {
		if some {
			all = append(all, d)
		}
	}
	ended := slices.DeleteFunc(slices.Clone(f.missing), func(m missing) bool { return m.mode != "" })
	for _, m := range ended {
		add(Doubt{ID: doubtEnded, Text: joinTestNames(m.tests) + " " + m.reason, Count: len(m.tests)}, true)
	}
	add(Doubt{ID: doubtForced, Text: "data was forced, and is not considered"}, f.hasForced())
	add(f.nodeDoubt())
	opcode, mixed := f.opcodeDoubt()
	add(opcode, mixed && opcode.ID == doubtRouting)
	add(f.count(doubtDisturbed, "disturbed", func(e rows.Entry) bool { return rows.AnyDisturbed(e) }))
	add(f.count(doubtUnsteady, "unsteady", func(e rows.Entry) bool {
		return e.HasWarning(result.WarnTwoLevels) || e.HasWarning(result.WarnUnsteady)
	}))
	add(f.controlDoubt())
	add(f.lostDoubt())
	add(f.notCompared())
	add(f.notMeasured())
	add(opcode, mixed && opcode.ID == doubtOpcode)
	return all
}

// rows returns the rows of all sweeps.
func (f *findings) rows() (all []rows.Entry) {
	for _, s := range f.sweeps {
		for _, p := range s.points {
			for _, e := range p.Rows {
				all = append(all, e)
			}
		}
	}
	return all
}

// count counts rows.
func (f *findings) count(id, what string, counts func(e rows.Entry) bool) (Doubt, bool) {
	all, n := f.rows(), 0
	for _, e := range all {
		if counts(e) {
			n++
		}
	}
	return Doubt{id, fmt.Sprintf("%d of %d rows %s", n, len(all), what), n, len(all)}, n > 0
}

// hasForced reports whether mode data was forced.
func (f *findings) hasForced() bool {
	return slices.ContainsFunc(f.rows(), func(e rows.Entry) bool { return e.Forced })
}

// controls counts the controls, and those whose interval does not hold 1.
func (f *findings) controls() (failed, all int) {
	for _, s := range f.sweeps {
		for _, p := range s.points {
			if r := p.Control(s.column); r.Enough {
				all++
				if r.ExcludesOne() {
					failed++
				}
			}
		}
	}
	return failed, all
}

func (f *findings) controlDoubt() (Doubt, bool) {
	failed, all := f.controls()
	return Doubt{doubtControl, fmt.Sprintf("%d of %d controls failed", failed, all), failed, all}, failed > 0
}

// nodeDoubt counts the runs with memory that is not on the NUMA node of the device.
func (f *findings) nodeDoubt() (Doubt, bool) {
	n := 0
	for _, r := range f.compared {
		if slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.ID == result.WarnNUMANode }) {
			n++
		}
	}
	return Doubt{doubtNUMANode, "memory not on the device's NUMA node", n, len(f.compared)}, n > 0
}

func (f *findings) lostDoubt() (Doubt, bool) {
	most := 0.0
	n := 0
	for _, e := range f.rows() {
		if d := e.Delivery; d != nil && d.Lost > 0 && d.Sent > 0 {
			n++
			most = max(most, rows.LostPart(d))
		}
	}
	return Doubt{doubtLost, "up to " + phrase.PercentNumber(most) + " % of the messages lost", n, len(f.rows())}, n > 0
}

// notCompared names the tests in which no modes were compared.
func (f *findings) notCompared() (Doubt, bool) {
	var ops []string
	n := 0
	for _, s := range f.sweeps {
		if !s.group.Verify && !slices.ContainsFunc(s.conclusions, func(c *conclusion) bool { return c.why == "" }) {
			ops = phrase.AddNew(ops, opWord(s.group.Op)+s.setting)
			n++
		}
	}
	text := fmt.Sprintf("not compared: %s", phrase.List(ops))
	return Doubt{doubtNotCompared, text, n, len(f.sweeps)}, n > 0
}

// notMeasured names the modes that some tests lack, except data: the actions say why it was left out.
func (f *findings) notMeasured() (Doubt, bool) {
	var modes []string
	n := 0
	for _, m := range f.missing {
		if m.mode != "" && m.mode != string(option.ModeData) {
			modes = phrase.AddNew(modes, printable.Clean(m.mode))
			n += len(m.tests)
		}
	}
	return Doubt{ID: doubtNotMeasured, Text: "some rows of " + phrase.List(modes) + " not measured", Count: n}, n > 0
}

// opcodeDoubt names the operations whose modes use different opcodes, and says if these may have taken
// different paths.
func (f *findings) opcodeDoubt() (Doubt, bool) {
	var ops []string
	d := Doubt{ID: doubtOpcode, Text: ": data and poll use different opcodes"}
	for _, s := range f.sweeps {
		for _, p := range s.points {
			data, poll := p.Row(option.ModeData), p.Row(result.BaseMode)
			if data.Row != nil && poll.Row != nil && data.Opcode != poll.Opcode {
				ops = phrase.AddNew(ops, opWord(s.group.Op))
				if slices.ContainsFunc(data.File.Warnings, func(w result.Warning) bool { return w.ID == result.WarnRouting }) {
					d = Doubt{ID: doubtRouting, Text: ": data and poll may take different paths"}
				}
			}
		}
	}
	d.Text, d.Count = phrase.List(ops)+d.Text, len(ops)
	return d, len(ops) > 0
}

// doubtLine lists the doubts, and says how steady the runs were.
func (f *findings) doubtLine(b *Brief) Line {
	steady := ""
	if s := b.Steadiness; s != nil {
		steady = fmt.Sprintf("; CPU time %s %%, rounds ±%s %%", phrase.PercentNumber(s.CPUShare), phrase.PercentNumber(s.Spread))
	}
	var texts []string
	for _, d := range b.Doubts {
		texts = append(texts, d.Text)
	}
	if len(texts) == 0 {
		texts = append(texts, "nothing found")
		if _, all := f.controls(); all > 0 {
			texts[0] = fmt.Sprintf("nothing: all %d controls hold", all)
		}
	}
	return Line{"doubtful", "Doubtful", listed(texts, "; ", MaxWidth-labelWidth-width(steady)) + steady}
}
