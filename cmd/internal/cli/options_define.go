package cli

import "github.com/ibperf/ibperf/option"

// define defines the flags of a test's program, which set s.
func define(s *option.Settings) *flags {
	return defineGroups(s, option.TestGroups(s.Test), func(o *option.Option) string { return o.HelpText(s.Test) })
}

// defineGroups defines the flags of some options.
func defineGroups(s *option.Settings, groups []option.Group, help func(*option.Option) string) *flags {
	f := newFlags()
	for _, g := range groups {
		f.group(g.Title)
		for _, o := range g.Options {
			f.option(o, s, help(o))
		}
	}
	return f
}

// option defines an option of the table.
func (f *flags) option(o *option.Option, s *option.Settings, help string) {
	primary := option.Find(o.Primary())
	set := func(argument string) error {
		before := *s
		if f.dropped(o, s.Test) {
			err := o.Set(&before, argument) // the argument must still be valid
			f.keep(primary, primary.Text(&before))
			return err
		}
		if err := o.Set(s, argument); err != nil {
			return err
		}
		f.note(primary.Name, o, primary.Text(s))
		if o.Overrides {
			f.keep(primary, primary.Text(&before))
		}
		return nil
	}
	flag := f.add(&flagValue{set, func() string { return o.Text(s) }}, flagHelp{o.Name, o.Letter, o.ArgumentOf(s.Test), help})
	if o.Toggle() {
		flag.NoOptDefVal = "true"
	}
}

// keep keeps the value of an option that another one overrides.
func (f *flags) keep(primary *option.Option, text string) {
	if o, given := f.options[primary.Name]; given {
		o.overridden = text
		f.options[primary.Name] = o
	}
}

// dropped reports whether an option has no effect: the test accepts it only because perftest does, or
// an option that prevails over it was given.
func (f *flags) dropped(o *option.Option, t option.Test) bool {
	before, given := f.options[o.Primary()]
	return o.Takes(t) && !o.In(t) || given && before.name != o.Name && option.Find(before.name).Overrides
}

// note records which option has set a value, and whether two have set it differently.
func (f *flags) note(primary string, o *option.Option, text string) {
	before, given := f.options[primary]
	if given && before.name != o.Name && before.text != text && !o.Overrides && f.clash == "" {
		f.clash = "--" + before.name + " and --" + o.Name + " exclude each other"
	}
	f.options[primary] = givenOption{name: o.Name, text: text}
}

// givenOption is an option that was given.
type givenOption struct {
	name, text string
	overridden string // the value that the option replaces if it overrides another one
}
