package verbstest

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ParseQuirks reads the text of a file of quirks, in the format that the package's
// documentation describes. Errors name the file and the line.
func ParseQuirks(file, text string) ([]Quirk, error) {
	var p parser
	for i, line := range append(strings.Split(text, "\n"), "") {
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return p.quirks, nil
}

// parser holds the parsed quirks, and the keys of the current one.
type parser struct {
	quirks []Quirk
	quirk  Quirk
	seen   map[string]bool
}

// keys are the keys of a quirk, with their parsers.
var keys = map[string]func(q *Quirk, value string) error{
	"quirk":    func(q *Quirk, value string) error { q.ID = value; return word(value) },
	"driver":   func(q *Quirk, value string) error { q.Drivers = strings.Fields(value); return patterns(q.Drivers) },
	"part":     func(q *Quirk, value string) error { q.Parts = parts(strings.Fields(value)); return patterns(q.Parts) },
	"kernel":   func(q *Quirk, value string) error { return q.Kernel.parse(value) },
	"library":  func(q *Quirk, value string) error { return q.Library.parse(value) },
	"firmware": func(q *Quirk, value string) error { return q.Firmware.parse(value) },
	"statements": func(q *Quirk, value string) error {
		q.Statements = strings.Fields(value)
		return asserted(q.Statements)
	},
	"fails":  func(q *Quirk, value string) error { q.Fails = strings.Fields(value); return asserted(q.Fails) },
	"does":   func(q *Quirk, value string) error { q.Does = value; return nil },
	"source": func(q *Quirk, value string) error { q.Source = value; return nil },
}

func (p *parser) line(line string) error {
	if line == "" && len(p.seen) > 0 {
		return p.end()
	}
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	read, known := keys[key]
	switch {
	case !known:
		return fmt.Errorf("%q is no line of a quirk: want one of %s, a colon and a value", line, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
	case p.seen[key]:
		return fmt.Errorf("a second line %s: quirks are separated by an empty line", key)
	case value == "":
		return fmt.Errorf("%s without a value", key)
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[key] = true
	return read(&p.quirk, value)
}

// end adds the current quirk.
func (p *parser) end() error {
	for _, key := range []string{"quirk", "does", "source"} {
		if !p.seen[key] {
			return fmt.Errorf("the quirk that ends here has no line %s", key)
		}
	}
	if !p.seen["driver"] && !p.seen["part"] {
		return fmt.Errorf("quirk %s has neither driver nor part", p.quirk.ID)
	}
	if !p.seen["statements"] && !p.seen["fails"] {
		return fmt.Errorf("quirk %s has neither statements nor fails", p.quirk.ID)
	}
	if slices.ContainsFunc(p.quirks, func(q Quirk) bool { return q.ID == p.quirk.ID }) {
		return fmt.Errorf("a second quirk %s", p.quirk.ID)
	}
	p.quirks = append(p.quirks, p.quirk)
	p.quirk, p.seen = Quirk{}, nil
	return nil
}

var wordPattern = regexp.MustCompile(`^[A-Za-z0-9]+$`)

func word(id string) error {
	if !wordPattern.MatchString(id) {
		return fmt.Errorf("id %q: want letters and digits", id)
	}
	return nil
}

func patterns(list []string) error {
	for _, pattern := range list {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	return nil
}

// parts returns patterns in which a vendor's id is written as [Identity.Part] writes it.
func parts(words []string) []string {
	for i, word := range words {
		vendor, part, both := strings.Cut(word, ":")
		if n, err := strconv.ParseUint(vendor, 0, 32); both && err == nil {
			words[i] = fmt.Sprintf("0x%04x:%s", n, part)
		}
	}
	return words
}

// asserted checks that the suite asserts the statements.
func asserted(ids []string) error {
	for _, id := range ids {
		if !slices.ContainsFunc(statements(), func(s statement) bool { return s.id == id }) {
			return fmt.Errorf("the suite asserts no statement %s", id)
		}
	}
	return nil
}
