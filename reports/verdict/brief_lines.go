package verdict

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
)

// The bounds of the lines of a brief.
const (
	MaxLines = 12
	MaxWidth = 100 // characters
)

// labelWidth is the width of the column of labels.
const labelWidth = 10

// String returns the whole line.
func (l Line) String() string {
	if l.Label == "" {
		return l.Text
	}
	return l.Label + strings.Repeat(" ", max(1, labelWidth-width(l.Label))) + l.Text
}

// Text returns the lines of the brief.
func (b *Brief) Text() string {
	var text strings.Builder
	for _, l := range b.Lines {
		text.WriteString(l.String() + "\n")
	}
	return text.String()
}

// brief returns the verdict in a few lines.
func (f *findings) brief() *Brief {
	b := &Brief{Header: header}
	b.place(f)
	b.Steadiness = steadinessOf(f.runs)
	actions := f.actions()
	b.Advice = f.advice(actions)
	for _, a := range actions {
		b.Actions = append(b.Actions, a.Action)
	}
	if reason, remedy, none := NoVerdict(f.runs); none && !f.checks.bad() {
		b.withhold(&Withheld{reason, remedy})
	}
	b.Operations, b.Peaks, b.Promises, b.Checks = f.operations(), f.peaks(), f.promised(), f.checks.list()
	b.Doubts, b.Sleeping = f.doubts(), f.sleeping()
	b.Next = f.next(b)
	b.lines(f)
	return b
}

// withhold withholds actions that follow from figures. It leaves those of devices that promise no order.
func (b *Brief) withhold(why *Withheld) {
	b.NoVerdict = why
	b.Actions = slices.DeleteFunc(b.Actions, func(a Action) bool { return a.Reason != reasonNoPromise })
	if len(b.Actions) == 0 {
		b.Advice = ""
	}
}

// lines puts the brief into words.
func (b *Brief) lines(f *findings) {
	add := func(l Line, some bool) {
		if some {
			b.Lines = append(b.Lines, l)
		}
	}
	add(peakLine(b.Peaks))
	add(b.allowedLine())
	add(f.doubtLine(b), true)
	add(sleepingLine(b.Sleeping))
	add(b.Next.line(), true)
	head := []Line{b.whereLine()}
	for _, part := range b.adviceLines() {
		head = append(head, Line{"advice", "", part})
	}
	head = append(head, valueLines(b.Operations, MaxLines-len(head)-len(b.Lines))...)
	b.Lines = append(head, b.Lines...)
}

// adviceLines returns the advice, and the reason and the remedy if there is no verdict.
func (b *Brief) adviceLines() (lines []string) {
	if b.Advice != "" {
		lines = append(lines, fits(MaxWidth, b.Advice))
	}
	if n := b.NoVerdict; n != nil {
		reason := "NO VERDICT: " + n.Reason + "."
		if width(reason+" "+n.Remedy) <= MaxWidth {
			return append(lines, reason+" "+n.Remedy)
		}
		lines = append(lines, fits(MaxWidth, reason), fits(MaxWidth, n.Remedy))
	}
	return lines
}

// ratioOf returns an estimate as a ratio.
func ratioOf(e confidence.Estimate) *Ratio { return &Ratio{e.Value, e.Low, e.High} }

// text returns the ratio as tables print it.
func (r *Ratio) text() string {
	return rows.RatioText(confidence.Estimate{Value: r.Value, Low: r.Low, High: r.High, Enough: true})
}

// width returns the number of characters of a text.
func width(text string) int { return utf8.RuneCountInString(text) }

// fits returns the first text that has at most room characters, or the last one cut to them.
func fits(room int, texts ...string) string {
	for _, text := range texts {
		if width(text) <= room {
			return text
		}
	}
	return phrase.Shorten(texts[len(texts)-1], room)
}

// listed joins as many items as fit into room characters, one or more: "WRITE, SEND and 3 more".
func listed(items []string, between string, room int) string {
	for n := len(items); n > 0; n-- {
		some := items
		if n < len(items) {
			some = append(slices.Clone(items[:n]), strconv.Itoa(len(items)-n)+" more")
		}
		text := strings.Join(some, between)
		if between == ", " {
			text = phrase.List(some)
		}
		if width(text) <= room {
			return text
		}
	}
	return phrase.Shorten(items[0], room)
}
