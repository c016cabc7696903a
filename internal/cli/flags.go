package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/spf13/pflag"
)

// flags is a flag set that remembers what a help text needs.
type flags struct {
	set    *pflag.FlagSet
	groups []flagGroup
}

type flagGroup struct {
	title string
	flags []flagHelp
}

type flagHelp struct{ name, letter, argument, text string }

func newFlags() *flags {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.Usage = func() {}
	return &flags{set: set}
}

// group begins a group of the help text.
func (f *flags) group(title string) { f.groups = append(f.groups, flagGroup{title: title}) }

func (f *flags) note(h flagHelp) {
	g := &f.groups[len(f.groups)-1]
	g.flags = append(g.flags, h)
}

// value defines an option with an argument. The letter may be empty.
func (f *flags) value(v *value, name, letter, argument, text string) {
	f.set.VarP(v, name, letter, text)
	f.note(flagHelp{name, letter, argument, text})
}

// toggle defines an option without an argument.
func (f *flags) toggle(p *bool, name, letter, text string) {
	f.set.BoolVarP(p, name, letter, *p, text)
	f.note(flagHelp{name, letter, "", text})
}

// given tells whether an option is on the command line.
func (f *flags) given(name string) bool {
	flag := f.set.Lookup(name)
	return flag != nil && flag.Changed
}

// parse reads the arguments. Its errors name the option and what is possible.
func (f *flags) parse(args []string, s spec) error {
	err := f.set.Parse(args)
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		return f.unknown(unknown, s)
	case errors.As(err, &missing):
		return usage(fmt.Sprintf("--%s needs an argument", missing.GetFlag().Name))
	case errors.As(err, &invalid):
		return usage(fmt.Sprintf("--%s %s: %v", invalid.GetFlag().Name, quoted(invalid.GetValue()), errors.Unwrap(invalid)))
	}
	return usage(err.Error())
}

// quoted shows an argument as it is where that is clear, else in quotes.
func quoted(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// unknown says which option is not known, and which may have been meant.
func (f *flags) unknown(e *pflag.NotExistError, s spec) error {
	name := e.GetSpecifiedName()
	written := "--" + name
	if e.GetSpecifiedShortnames() != "" {
		written = "-" + name
	}
	text := "unknown option " + quoted(written)
	switch near := f.nearest(name); {
	case isBandwidthOption(written, s):
		return usage(text + ": only the bandwidth tests have it")
	case len(written) > 2 && near != "":
		return usage(text + " (did you mean --" + near + "?)")
	}
	return usage(text)
}

// isBandwidthOption tells whether the bandwidth test of an operation has an
// option that its latency test lacks.
func isBandwidthOption(written string, s spec) bool {
	if s.kind == "" || s.bandwidth() {
		return false
	}
	f := define(newOptions(spec{s.op, result.KindBandwidth}), &rawOptions{})
	if name, ok := strings.CutPrefix(written, "--"); ok {
		return f.set.Lookup(name) != nil
	}
	return f.set.ShorthandLookup(written[1:]) != nil
}

// nearest returns the option whose name is so near to the given one that it may
// be a slip of the keys: the same but for "-", "_" and case, the beginning of
// just one name, or at most two letters away.
func (f *flags) nearest(name string) string {
	plain := plainName(name)
	best, least, prefixes := "", 3, []string(nil)
	f.set.VisitAll(func(flag *pflag.Flag) {
		other := plainName(flag.Name)
		if d := distance(plain, other); d < least && d < len(other)/2+1 {
			best, least = flag.Name, d
		}
		if len(plain) > 1 && strings.HasPrefix(other, plain) {
			prefixes = append(prefixes, flag.Name)
		}
	})
	if least > 0 && len(prefixes) == 1 {
		return prefixes[0]
	}
	return best
}

func plainName(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}

// distance is the number of letters to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
