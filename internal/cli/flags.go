package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/spf13/pflag"
)

// flags is a flag set that remembers what a help text needs.
type flags struct {
	set    *pflag.FlagSet
	groups []flagGroup
	said   map[string]said // by the name that is agreed on
	clash  string          // what was said of options that exclude each other
}

type flagGroup struct {
	title string
	flags []flagHelp
}

type flagHelp struct{ name, letter, argument, text string }

// flagValue is a pflag.Value.
type flagValue struct {
	set  func(text string) error
	show func() string
}

func (v *flagValue) Set(text string) error { return v.set(text) }
func (v *flagValue) String() string        { return v.show() }
func (v *flagValue) Type() string          { return "value" }

func newFlags() *flags {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.Usage = func() {}
	f := &flags{set: set, said: map[string]said{}}
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(f.spelled(name))
	})
	return f
}

// spelled returns the name of the option that a long one on a command line means: a name, or
// the beginning of just one. Others stay as they are.
func (f *flags) spelled(name string) string {
	if all := f.meant(name); len(all) == 1 {
		return all[0]
	}
	return option.Spelled(name)
}

// meant lists the options that a long name may mean, in getopt_long's way: the one of this
// name, else those that begin with it, of which perftest's go first.
func (f *flags) meant(name string) []string {
	var own []string
	for _, g := range f.groups {
		for _, h := range g.flags {
			own = append(own, h.name)
		}
	}
	return option.Meant(name, own)
}

// group begins a group of the help text.
func (f *flags) group(title string) { f.groups = append(f.groups, flagGroup{title: title}) }

// add defines a flag.
func (f *flags) add(v *flagValue, h flagHelp) *pflag.Flag {
	g := &f.groups[len(f.groups)-1]
	g.flags = append(g.flags, h)
	return f.set.VarPF(v, h.name, h.letter, h.text)
}

// text defines an option with an argument that must not be empty. The letter may be.
func (f *flags) text(p *string, name, letter, argument, text string) {
	set := func(arg string) error {
		if arg == "" {
			return errors.New("must not be empty")
		}
		*p = arg
		return nil
	}
	f.add(&flagValue{set, func() string { return *p }}, flagHelp{name, letter, argument, text})
}

// toggle defines an option without an argument.
func (f *flags) toggle(p *bool, name, letter, text string) {
	set := func(arg string) (err error) {
		*p, err = strconv.ParseBool(arg)
		return err
	}
	show := func() string { return strconv.FormatBool(*p) }
	f.add(&flagValue{set, show}, flagHelp{name, letter, "", text}).NoOptDefVal = "true"
}

// given tells whether an option is on the command line.
func (f *flags) given(name string) bool {
	flag := f.set.Lookup(name)
	return flag != nil && flag.Changed
}

// parse reads the arguments. Its errors name the option and what is possible.
func (f *flags) parse(args []string) error {
	err := f.set.Parse(args)
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case err == nil && f.clash != "":
		return usage(f.clash)
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		return f.unknown(unknown)
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

// unknown says which option is not known, and what may be done about it.
func (f *flags) unknown(e *pflag.NotExistError) error {
	name, letter := e.GetSpecifiedName(), ""
	written := "--" + name
	if e.GetSpecifiedShortnames() != "" {
		name, letter, written = "", name, "-"+name
	}
	if a := option.FindAbsent(f.spelled(name), letter); a != nil {
		return usage(fmt.Sprintf("option %s of perftest (--%s): %s", quoted(written), a.Name, a.Why))
	}
	if o := option.FindEither(f.spelled(name), letter); o != nil {
		return usage(fmt.Sprintf("--%s is of %s: this program does not have it", o.Name, o.Owners()))
	}
	if all := f.meant(name); name != "" && len(all) > 1 {
		return usage(fmt.Sprintf("option %s is ambiguous: it may be --%s", quoted(written), strings.Join(all, ", --")))
	}
	text := "unknown option " + quoted(written)
	if near := f.nearest(name); name != "" && near != "" {
		text += " (did you mean --" + near + "?)"
	}
	return usage(text)
}

// nearest returns the option whose name is so near to the given one that it may
// be a slip of the keys: the same but for "-", "_" and case, or at most two letters away.
func (f *flags) nearest(name string) string {
	plain := plainName(name)
	best, least := "", 3
	f.set.VisitAll(func(flag *pflag.Flag) {
		other := plainName(flag.Name)
		if d := distance(plain, other); d < least && d < len(other)/2+1 {
			best, least = flag.Name, d
		}
	})
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
