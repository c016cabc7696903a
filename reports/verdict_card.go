package reports

import (
	"slices"
	"strings"
	"unicode"
)

// cards are one for each test, with a line for each run of it and each sweep.
func (f *findings) cards() []Card {
	var cards []Card
	for _, s := range f.subjects {
		op, kind := s.group.Op, s.group.Kind
		i := slices.IndexFunc(cards, func(c Card) bool { return c.Op == op && c.Kind == kind })
		if i < 0 {
			title := []rune(testName(op, kind))
			title[0] = unicode.ToUpper(title[0])
			i = len(cards)
			cards = append(cards, Card{Op: op, Kind: kind, Title: string(title)})
		}
		c := &cards[i]
		c.Lines = append(c.Lines, s.cardLines()...)
	}
	return cards
}

// cardLines are the clauses of a subject, and what waiting costs in it.
func (s *subject) cardLines() []string {
	prefix := strings.TrimPrefix(s.name, testName(s.group.Op, s.group.Kind))
	prefix = strings.TrimLeft(prefix, ", ")
	if prefix != "" {
		prefix += ": "
	}
	var lines []string
	for _, c := range s.clauses {
		if !s.leftToCosts(c) {
			lines = append(lines, prefix+s.clauseText(c, true))
		}
	}
	for _, p := range pausesOf([]*subject{s}) {
		lines = append(lines, prefix+p.text())
	}
	if c, ok := costOf("", "", []*subject{s}); ok && s.group.Along == NoAxis {
		for _, text := range c.texts() {
			lines = append(lines, prefix+text)
		}
	}
	return lines
}
