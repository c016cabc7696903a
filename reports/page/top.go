package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/reports/rows"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
)

// addVerdict adds the brief with its figure, the answers, and the summaries of sections.
func (p *Page) addVerdict(v *verdict.Verdict, runs []*result.File, groups []*rows.Group) {
	p.Brief, p.Alarming = paragraphs(v.Brief), alarming(v)
	for _, a := range v.Answers {
		p.Answers = append(p.Answers, Answer{Question: a.Question, Lines: a.Lines, Bad: a.Bad})
	}
	for _, c := range v.Cards {
		if i := sectionOf(c, groups); i >= 0 {
			p.Sections[i].Summary = c.Lines
		}
	}
	p.Picture = picture(v, p.Figures)
	p.Lead = joined(daysAndReleases(runs)...) // the brief has the rest
}

// alarming reports whether a verdict is withheld or reports corrupted data.
func alarming(v *verdict.Verdict) bool {
	return v.Brief.NoVerdict != nil || slices.ContainsFunc(v.Answers, func(a verdict.Answer) bool { return a.Bad })
}

// paragraphs returns the lines of a brief. Lines in columns follow each other, and are one paragraph. The
// next command is whole.
func paragraphs(b *verdict.Brief) (all []Paragraph) {
	for _, l := range b.Lines {
		n := len(all)
		switch {
		case l.About == "values" && n > 0 && all[n-1].Table:
			all[n-1].Text += "\n" + l.String()
		case l.About == "values":
			all = append(all, Paragraph{Text: l.String(), Table: true})
		case l.About == "next":
			all = append(all, Paragraph{Label: l.Label, Text: b.Next.Why + ":", Code: b.Next.Command})
		default:
			all = append(all, Paragraph{Label: l.Label, Text: l.Text, Strong: l.About == "advice"})
		}
	}
	return all
}

// sectionOf returns the index of the section that a card is about, or -1. It prefers sections without an
// axis and without --verify.
func sectionOf(c verdict.Card, groups []*rows.Group) int {
	best := -1
	for i, g := range groups {
		if g.Op == c.Op && g.Kind == c.Kind && (best < 0 || len(g.Slug()) < len(groups[best].Slug())) {
			best = i
		}
	}
	return best
}

// picture returns the name of the figure to show below the verdict: that of ratios of the operation that
// the advice begins with, latency first, else of any test, else the first figure.
func picture(v *verdict.Verdict, figures []Figure) string {
	var ops []option.Op
	for _, a := range v.Brief.Actions {
		ops = append(ops, a.Op)
	}
	for _, o := range v.Brief.Operations {
		ops = append(ops, o.Op)
	}
	var prefixes []string
	for _, op := range ops {
		prefixes = append(prefixes, phrase.Slug(string(op), string(option.KindLatency))+"_", phrase.Slug(string(op))+"_")
	}
	for _, prefix := range append(prefixes, "") {
		for _, f := range figures {
			if f.Kind == "ratio" && strings.HasPrefix(f.Name, prefix) {
				return f.Name
			}
		}
	}
	if len(figures) > 0 {
		return figures[0].Name
	}
	return ""
}

// title says what was compared: the operations, the modes and the devices.
func title(groups []*rows.Group) string {
	if len(groups) == 0 {
		return "No results"
	}
	var ops []option.Op
	var modes []option.Mode
	var devices []string
	for _, g := range groups {
		ops = phrase.AddNew(ops, g.Op)
		for _, f := range g.Runs {
			for _, m := range f.Parameters.Modes {
				modes = phrase.AddNew(modes, m)
			}
			devices = phrase.AddNew(devices, between(f.Local.DeviceNames(), f.Peer.DeviceNames()))
		}
	}
	what := phrase.List(inOrder(ops, option.Ops()))
	if slices.ContainsFunc(groups, func(g *rows.Group) bool { return g.Op != groups[0].Op || g.Kind != groups[0].Kind }) {
		what = strings.ToUpper(what[:1]) + what[1:]
	} else {
		what = strings.TrimSuffix(rows.TestTitle(groups[0].Op, groups[0].Kind), " Test")
	}
	const fewDevices = 3
	on := phrase.List(devices)
	if len(devices) > fewDevices {
		on = fmt.Sprintf("%d devices", len(devices))
	}
	return printable.Clean(what + " with " + phrase.List(inOrder(modes, option.Modes())) + " on " + on)
}

// inOrder returns words in an order, unknown ones first.
func inOrder[T ~string](words, order []T) (sorted []string) {
	slices.SortStableFunc(words, func(a, b T) int { return slices.Index(order, a) - slices.Index(order, b) })
	for _, w := range words {
		sorted = append(sorted, string(w))
	}
	return sorted
}

// lead lists connections, hosts, days and releases of the runs, each once.
func lead(runs []*result.File) string {
	var connections, hosts []string
	for _, f := range runs {
		connections = phrase.AddNew(connections, rows.Connection(f))
		hosts = phrase.AddNew(hosts, between(f.Local.Host, f.Peer.Host))
	}
	return joined(append([][]string{connections, hosts}, daysAndReleases(runs)...)...)
}

// daysAndReleases lists days and releases of the runs, each once.
func daysAndReleases(runs []*result.File) [][]string {
	var days, releases []string
	for _, f := range runs {
		if !f.Started.IsZero() {
			days = phrase.AddNew(days, f.Started.UTC().Format("2006-01-02"))
		}
		if f.Release != "" {
			releases = phrase.AddNew(releases, "ibperf "+f.Release)
		}
	}
	return [][]string{days, releases}
}

// joined returns lists in one line.
func joined(lists ...[]string) string {
	var parts []string
	for _, list := range lists {
		if text := strings.Join(list, ", "); text != "" {
			parts = append(parts, text)
		}
	}
	return printable.Clean(strings.Join(parts, " · "))
}

// between names both ends, or one name if they are equal.
func between(here, there string) string {
	if here == there || there == "" {
		return here
	}
	return here + " and " + there
}
