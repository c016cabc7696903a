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
		if !f.checks.wrongIn(s.file()) {
			c.Lines = append(c.Lines, s.cardCosts()...)
		}
	}
	return cards
}

// cardLines are the clauses of a subject.
func (s *subject) cardLines() (lines []string) {
	for _, c := range s.clauses {
		if !s.leftToCosts(c) {
			lines = append(lines, s.cardPrefix()+s.clauseText(c, true))
		}
	}
	return lines
}

// cardCosts are what waiting costs in a subject.
func (s *subject) cardCosts() (lines []string) {
	for _, p := range pausesOf([]*subject{s}) {
		lines = append(lines, s.cardPrefix()+p.text())
	}
	if c, ok := costOf("", "", []*subject{s}); ok && s.group.Along == NoAxis {
		for _, text := range c.texts() {
			lines = append(lines, s.cardPrefix()+text)
		}
	}
	return lines
}

// cardPrefix is what a subject's name has beside that of its test.
func (s *subject) cardPrefix() string {
	prefix := strings.TrimPrefix(s.name, testName(s.group.Op, s.group.Kind))
	if prefix = strings.TrimLeft(prefix, ", "); prefix != "" {
		return prefix + ": "
	}
	return ""
}
