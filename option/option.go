// Package option is the table of all options of the programs, and everything that follows from the
// table: the settings of a command line ([Settings]), the plan that both sides follow ([Plan]) with
// its checks (rules.go, transport.go), defaults (resolve.go) and JSON form (encode.go), help texts,
// exit statuses (exit_status.go), and the pages docs/OPTIONS.md (options_page.go) and
// docs/PERFTEST.md (perftest.go).
//
// An option is a field of [Plan] or [Own] and an entry of the table (table_*.go), which names its
// group (groups.go). Flags, help, agreement between the sides, checks, JSON, definitions, headers
// and the comparability of rows follow from the entry.
//
// A plan is checked where it enters: from a command line or from the wire. [Settings.Resolve] checks
// it together with a side's own options and decides everything that was left open.
package option

import "slices"

// Scope is the side or sides for which an option holds.
type Scope int

// The scopes. Both sides follow an agreed option, even if only one of them was given it.
const (
	Agreed  Scope = iota
	PerSide       // each side has a value of its own
	Client        // only the client has the option
	Server        // only the server has the option
)

// Header is the condition under which the text above the rows shows an option.
type Header int

// The conditions. Files and pages always have all agreed options.
const (
	Never Header = iota
	WhenSet
	Always
)

// Option is one entry of the table.
type Option struct {
	Name     string
	Letter   string // empty: none
	Argument string // its placeholder in help texts; empty: a toggle
	Group    string
	Scope    Scope
	Help     string // for all programs together, without the default
	Default  string // in words; empty: the value in Defaults
	// DefaultOf returns the default for a test in words, where tests differ; nil: they have one default.
	DefaultOf func(Test) string

	// HelpOf returns the help text for a test, where Help explains what other tests do; nil: all tests
	// have Help.
	HelpOf func(Test) string

	// Only reports whether a test has the option; nil: all have.
	Only func(Test) bool
	// Idle reports whether a test without the option accepts it without effect, as perftest's does; nil:
	// none does.
	Idle func(Test) bool
	// IdleWarning is why the option has no effect there, if the program warns of that; empty: it does not.
	IdleWarning string
	// Compare reports whether ib_compare has this agreed option too, for all of its runs.
	Compare bool
	// Excludes are options that cannot be given together with this one.
	Excludes []Exclusion
	// As is the name of the option that this option is another spelling of; empty: none.
	As string
	// Overrides reports whether this option overrides the option As on the same command line, as in perftest.
	Overrides bool
	// Perftest is "same", or the differences from perftest; empty: perftest does not have the option.
	Perftest string

	// These fields are of agreed options, for text, files and pages.
	JSON    string // name in the plan's JSON, with its unit
	Meaning string // of that member; empty: Help
	Unit    string // of the number in JSON; empty: none
	Label   string
	Suffix  string // follows the value in text
	Header  Header
	Unshown string // the value that text and pages do not show; empty: they show all
	// Free options may differ between rows that are compared: they change the length of the
	// measurement, or which rows exist.
	Free bool

	value value
}

// Exclusion is an option that cannot be given together with another option.
type Exclusion struct {
	Name, Why string
	// Overridden reports whether the other option overrides this one on the same command line, as in
	// perftest; otherwise both together are an error.
	Overridden bool
}

// Table returns all options. Headers and JSON have agreed options in this order.
func Table() []*Option { return table }

var table = slices.Concat(connectionOptions, deviceOptions, ownPathOptions, ownMemoryOptions, gpuOptions, tphOptions, workOptions, pathOptions, memoryOptions, marginOptions, operationOptions, multicastOptions, completionOptions, comparisonOptions, conformOptions, verifyOptions, outputOptions, acceptedOptions)

// Find returns the option with a name; nil if no option has it.
func Find(name string) *Option { return FindEither(name, "") }

// FindEither returns the option with a name or a letter, which may be empty; nil if no option has one
// of them.
func FindEither(name, letter string) *Option {
	i := slices.IndexFunc(table, func(o *Option) bool { return o.Name == name || letter != "" && o.Letter == letter })
	if i < 0 {
		return nil
	}
	return table[i]
}

// AgreedOptions returns the options that both sides follow, without other spellings.
func AgreedOptions() []*Option {
	return slices.DeleteFunc(slices.Clone(table), func(o *Option) bool { return o.Scope != Agreed || o.As != "" })
}

// HelpText returns the text of the option in a help text: its role if only one role has it, its
// effect, and its default. If the test ignores the option, the text is its effect in other tests.
func (o *Option) HelpText(t Test) string {
	text := o.helpFor(t)
	if o.idleIn(t) {
		return "only in other tests: " + text
	}
	return o.withDefault(text, o.DefaultText(t))
}

// helpFor returns the help text for a test, without the default; that for all tests if t is zero.
func (o *Option) helpFor(t Test) string {
	if o.HelpOf == nil || t == (Test{}) {
		return o.Help
	}
	return o.HelpOf(t)
}

// idleIn reports whether a test accepts the option without effect.
func (o *Option) idleIn(t Test) bool { return !o.In(t) && o.Takes(t) }

// withDefault returns a help text with the option's role and default.
func (o *Option) withDefault(text, byDefault string) string {
	switch o.Scope {
	case Client:
		text = "client: " + text
	case Server:
		text = "server: " + text
	}
	if byDefault != "" {
		text += " (default " + byDefault + ")"
	}
	return text
}

// In reports whether a test has the option.
func (o *Option) In(t Test) bool { return o.Only == nil || o.Only(t) }

// OverriddenBy reports whether another option overrides this one on the same command line.
func (o *Option) OverriddenBy(other string) bool {
	return slices.ContainsFunc(o.Excludes, func(e Exclusion) bool { return e.Overridden && e.Name == other })
}

// Takes reports whether a test's program accepts the option, with or without effect.
func (o *Option) Takes(t Test) bool { return o.In(t) || o.Idle != nil && o.Idle(t) }

// Primary returns the name of the option whose value it sets.
func (o *Option) Primary() string {
	if o.As != "" {
		return o.As
	}
	return o.Name
}

// Toggle reports whether an option has no argument.
func (o *Option) Toggle() bool { return o.Argument == "" }

// Set sets the value from an argument of a command line. Its error names the possible values.
func (o *Option) Set(s *Settings, argument string) error { return o.value.set(s, argument) }

// Text returns the value as an argument of a command line; empty if the default is decided later.
func (o *Option) Text(s *Settings) string { return o.value.text(s) }

// Shown returns the value as the text above rows and the page print it; empty without a value.
func (o *Option) Shown(s *Settings) string {
	text := o.Text(s)
	switch {
	case o.Toggle():
		return map[string]string{"true": "ON", "false": "OFF"}[text]
	case text == "" || text == o.Unshown:
		return ""
	}
	return text + o.Suffix
}

// Written returns the option as a command line with its value has it.
func (o *Option) Written(s *Settings) string {
	text := o.Text(s)
	switch {
	case o.Name == "size" && text == joined(AllSizes()):
		return "--all"
	case o.Toggle() && text == "true":
		return "--" + o.Name
	case o.Toggle():
		return "--" + o.Name + "=" + text
	}
	return "--" + o.Name + " " + text
}

// Copy copies the value between settings.
func (o *Option) Copy(to, from *Settings) { o.value.copy(to, from) }

// DefaultText returns the default of the option for help texts; empty for toggles.
func (o *Option) DefaultText(t Test) string {
	switch {
	case o.DefaultOf != nil:
		return o.DefaultOf(t)
	case o.Default != "":
		return o.Default
	case o.Toggle():
		return ""
	}
	s := New(t)
	s.Plan = s.Plan.Resolve()
	return o.Text(&s)
}

// IsSet reports whether the value differs from the test's resolved default.
func (o *Option) IsSet(s *Settings) bool {
	plain := New(s.Test)
	plain.Plan = plain.Plan.Resolve()
	return o.isGiven(s) && o.Text(s) != o.Text(&plain)
}

// isGiven reports whether the value differs from that of an empty command line. A value that equals a
// default that is decided later counts as given.
func (o *Option) isGiven(s *Settings) bool {
	plain := New(s.Test)
	return o.Text(s) != o.Text(&plain)
}
