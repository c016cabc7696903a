package cli

import "github.com/ibperf/ibperf/option"

// define makes the flags of a test's program, which set s.
func define(s *option.Settings) *flags {
	has := func(o *option.Option) bool { return o.Takes(s.Test) }
	return defineSome(s, has, func(o *option.Option) string { return o.HelpText(s.Test) })
}

// defineSome makes the flags of some options.
func defineSome(s *option.Settings, has func(*option.Option) bool, help func(*option.Option) string) *flags {
	f := newFlags()
	group := ""
	for _, o := range option.Table() {
		if !has(o) {
			continue
		}
		if o.Group != group {
			group = o.Group
			f.group(group)
		}
		f.option(o, s, help(o))
	}
	return f
}

// option defines an option of the table.
func (f *flags) option(o *option.Option, s *option.Settings, help string) {
	primary := option.Find(o.Primary())
	set := func(argument string) error {
		if copied := *s; f.dropped(o, s.Test) {
			return o.Set(&copied, argument) // which must be possible all the same
		}
		if err := o.Set(s, argument); err != nil {
			return err
		}
		f.note(primary.Name, o, primary.Text(s))
		return nil
	}
	flag := f.add(&flagValue{set, func() string { return o.Text(s) }}, flagHelp{o.Name, o.Letter, o.Argument, help})
	if o.Toggle() {
		flag.NoOptDefVal = "true"
	}
}

// dropped tells options without effect: those that the test takes for perftest's sake only, and
// those beside which another one prevails.
func (f *flags) dropped(o *option.Option, t option.Test) bool {
	before, given := f.said[o.Primary()]
	return o.Takes(t) && !o.In(t) || given && before.name != o.Name && option.Find(before.name).Prevails
}

// note remembers which option has set a value, and finds two that set it differently.
func (f *flags) note(primary string, o *option.Option, text string) {
	before, given := f.said[primary]
	if given && before.name != o.Name && before.text != text && !o.Prevails && f.clash == "" {
		f.clash = "--" + before.name + " and --" + o.Name + " exclude each other"
	}
	f.said[primary] = said{o.Name, text}
}

// said is an option that was given, and the value that it gave.
type said struct{ name, text string }
