package result

import (
	"regexp"
	"slices"
)

// A Finding is something about a host, a device or a link that probably costs performance.
type Finding struct {
	ID       string `json:"id"`             // stable, and meant for programs
	Side     string `json:"side,omitempty"` // SideLocal or SidePeer; empty: both, or no run
	Sentence string `json:"sentence"`
	Fix      string `json:"fix"` // what to do, with a command
}

// The sides of findings: the members of a file that have their facts.
const (
	SideLocal = "local"
	SidePeer  = "peer"
)

// Line returns the finding on one line.
func (f *Finding) Line() string {
	where := map[string]string{SideLocal: "on this side: ", SidePeer: "on the peer: "}[f.Side]
	return where + f.Sentence + " Fix: " + f.Fix
}

// FindingsOf returns the findings of several files, each once.
func FindingsOf(files []*File) (all []Finding) {
	for _, f := range files {
		all = AddFindings(all, f.Findings)
	}
	return all
}

// AddFindings adds those of more to all that are about something else: that have another id or side.
func AddFindings(all, more []Finding) []Finding {
	for _, f := range more {
		if !slices.ContainsFunc(all, func(g Finding) bool { return f.ID == g.ID && f.Side == g.Side }) {
			all = append(all, f)
		}
	}
	return all
}

// PlainMarks are the characters of plain texts besides letters and digits.
const PlainMarks = "_.,:/-"

var plain = regexp.MustCompile("^[A-Za-z0-9" + PlainMarks + "]{0,100}$")

// IsPlain reports whether a text may be part of a command: texts of a peer become part of [Finding.Fix].
func IsPlain(text string) bool { return plain.MatchString(text) }
