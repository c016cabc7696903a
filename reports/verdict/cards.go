package verdict

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ibperf/ibperf/reports/rows"
)

// cards returns a card for each test, with lines about each of its runs and sweeps.
func (f *findings) cards() []Card {
	var cards []Card
	for _, s := range f.sweeps {
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
		if !f.checks.corruptsIn(s.file()) {
			c.Lines = append(c.Lines, s.cardCosts()...)
		}
	}
	return cards
}

// cardLines returns the conclusions from a sweep.
func (s *sweep) cardLines() (lines []string) {
	for _, c := range s.conclusions {
		if !s.saidWithCosts(c) {
			lines = append(lines, s.cardPrefix()+s.conclusionText(c, true))
		}
	}
	return lines
}

// cardCosts returns what waiting costs in a sweep.
func (s *sweep) cardCosts() (lines []string) {
	for _, p := range pausesOf([]*sweep{s}) {
		lines = append(lines, s.cardPrefix()+p.text())
	}
	if c, ok := costOf("", "", []*sweep{s}); ok && s.group.Along == rows.NoAxis {
		for _, text := range c.texts() {
			lines = append(lines, s.cardPrefix()+text)
		}
	}
	return lines
}

// cardPrefix returns the part of a sweep's name that follows the name of its test.
func (s *sweep) cardPrefix() string {
	prefix := strings.TrimPrefix(s.name, testName(s.group.Op, s.group.Kind))
	if prefix = strings.TrimLeft(prefix, ", "); prefix != "" {
		return prefix + ": "
	}
	return ""
}
