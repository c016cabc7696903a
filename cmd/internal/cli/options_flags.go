package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/option"
	"github.com/spf13/pflag"
)

// flags is a flag set with what the help text needs.
type flags struct {
	set     *pflag.FlagSet
	groups  []flagGroup
	options map[string]givenOption // by the name of the primary option
	clash   string                 // error of two options that set a value differently
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
	f := &flags{set: set, options: map[string]givenOption{}}
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(f.spelled(name))
	})
	return f
}

// spelled returns the name of the option that a long name on a command line means: the option of this
// name, or the only one that begins with it. It returns other names unchanged.
func (f *flags) spelled(name string) string {
	if all := f.meant(name); len(all) == 1 {
		return all[0]
	}
	return option.Spelled(name)
}

// meant returns the options that a long name may mean, as getopt_long does: the option of this name,
// else those that begin with it. Options of perftest come first.
func (f *flags) meant(name string) []string {
	var own []string
	for _, g := range f.groups {
		for _, h := range g.flags {
			own = append(own, h.name)
		}
	}
	return option.Meant(name, own)
}

// group begins a group of options in the help text.
func (f *flags) group(title string) { f.groups = append(f.groups, flagGroup{title: title}) }

// add defines a flag.
func (f *flags) add(v *flagValue, h flagHelp) *pflag.Flag {
	g := &f.groups[len(f.groups)-1]
	g.flags = append(g.flags, h)
	return f.set.VarPF(v, h.name, h.letter, h.text)
}

// text defines an option with an argument that is not empty. The letter may be empty.
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

// given reports whether an option is on the command line.
func (f *flags) given(name string) bool {
	flag := f.set.Lookup(name)
	return flag != nil && flag.Changed
}

// parse parses the arguments. Its errors name the option and the possible values.
func (f *flags) parse(args []string) error {
	err := f.set.Parse(args)
	if err == nil {
		err = f.takeVariable("connect-timeout", option.ConnectVariable)
	}
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

// takeVariable sets an option that was not given to the value of an environment variable, if it is set.
func (f *flags) takeVariable(name, variable string) error {
	flag, value := f.set.Lookup(name), os.Getenv(variable)
	if flag == nil || flag.Changed || value == "" {
		return nil
	}
	if err := flag.Value.Set(value); err != nil {
		return fmt.Errorf("%s=%s: %w", variable, quoted(value), err)
	}
	return nil
}

// ignored returns the options that were given to a test and have no effect there, of which the program warns.
func (f *flags) ignored(t option.Test) (all []*option.Option) {
	for _, o := range option.Table() {
		if o.IdleWarning != "" && !o.In(t) && f.given(o.Name) {
			all = append(all, o)
		}
	}
	return all
}

// quoted returns an argument, in quotes if it is empty or has blanks or control characters.
func quoted(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// unknown returns the error of an option that the program does not have, with what to do instead.
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
		return usage(fmt.Sprintf("--%s is an option of %s: this program does not have it", o.Name, o.Owners()))
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

// nearest returns the option that a name is a typing error of: the same name but for "-", "_" and
// case, or one that differs in at most two letters; empty: none.
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

// distance returns the number of letters to insert, delete or replace to make b of a.
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
