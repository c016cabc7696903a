// Package option is the one table of all options of the benchmark programs, and what is
// made of it: the settings that a command line gives, the plan that both sides follow, its
// form on the wire and in result files, help texts and man pages, and the page that says
// what became of each option of perftest.
//
// To add an option is to add a field to [Plan] or [Own] and an entry to the table. Flags,
// help, man pages, negotiation, checks, JSON, definitions, headers and the question
// whether rows of two files may be compared follow from the entry.
package option

import "slices"

// Whose tells which side an option belongs to.
type Whose int

// Both sides follow an agreed option, whichever of them was given it. Others are a side's
// own.
const (
	Agreed Whose = iota
	Each         // either side's own
	Client
	Server
)

// Header tells when the text over the rows shows an option.
type Header int

// The choices. Files and pages have all agreed options.
const (
	Never Header = iota
	WhenSet
	Always
)

// Option is one entry of the table.
type Option struct {
	Name     string
	Letter   string // empty: none
	Argument string // what stands for it in help texts; empty: a toggle
	Group    string
	Whose    Whose
	Help     string // without the default
	Default  string // in words, where it is no plain value

	// Only tells which tests have the option; nil: all.
	Only func(Test) bool
	// Idle tells which further tests take the option without effect, as perftest's do; nil: none.
	Idle func(Test) bool
	// Compare tells that ib_compare has this agreed option too, for all of its runs.
	Compare bool
	// Excludes are options that cannot be given together with this one.
	Excludes []Exclusion
	// As names the option that this one is another way to write; empty: it is its own.
	As string
	// Prevails tells that what As is given by itself is dropped beside this one, as with perftest.
	Prevails bool
	// Perftest is empty for an option that perftest does not have, "same", or what is
	// different and why.
	Perftest string

	// Of agreed options, as text, files and pages show them:
	JSON    string // name in the plan's JSON, with its unit
	Meaning string // of that member, where Help speaks of the command line
	Unit    string // of the number in JSON; empty: none
	Label   string
	Suffix  string // behind the value in text
	Header  Header
	// Free options may differ between rows that are compared: what they change is how long
	// is measured, or which rows there are.
	Free bool

	value value
}

// Exclusion is an option that does not go together with another one.
type Exclusion struct {
	Name, Why string
	// Yields tells that on one command line the other one holds, as with perftest.
	Yields bool
}

// Table returns all options, in the order of help texts.
func Table() []*Option { return table }

var table = slices.Concat(connectionOptions, deviceOptions, ownPathOptions, ownMemoryOptions, workOptions, pathOptions, memoryOptions, marginOptions, operationOptions, multicastOptions, completionOptions, comparisonOptions, conformOptions, outputOptions, acceptedOptions)

// Find returns an option by its name, nil if there is none.
func Find(name string) *Option { return FindEither(name, "") }

// FindEither returns an option by its name or its letter, which may be empty; nil if there is
// none.
func FindEither(name, letter string) *Option {
	i := slices.IndexFunc(table, func(o *Option) bool { return o.Name == name || letter != "" && o.Letter == letter })
	if i < 0 {
		return nil
	}
	return table[i]
}

// AgreedOptions returns those that both sides follow, without further ways to write them.
func AgreedOptions() []*Option {
	return slices.DeleteFunc(slices.Clone(table), func(o *Option) bool { return o.Whose != Agreed || o.As != "" })
}

// HelpText explains the option in help texts: whose it is, if only one role has it, what it
// does and what holds without it.
func (o *Option) HelpText(t Test) string {
	if !o.In(t) && o.Takes(t) {
		return "accepted without effect: " + o.Help
	}
	return o.helpText(o.DefaultText(t))
}

func (o *Option) helpText(byDefault string) string {
	text := o.Help
	switch o.Whose {
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

// In tells whether a test has the option.
func (o *Option) In(t Test) bool { return o.Only == nil || o.Only(t) }

// YieldsTo tells whether the option is dropped where another one is given on the same command line.
func (o *Option) YieldsTo(other string) bool {
	return slices.ContainsFunc(o.Excludes, func(e Exclusion) bool { return e.Yields && e.Name == other })
}

// Takes tells whether a test's program takes the option, be it without effect.
func (o *Option) Takes(t Test) bool { return o.In(t) || o.Idle != nil && o.Idle(t) }

// Primary is the name under which the option's value is agreed on.
func (o *Option) Primary() string {
	if o.As != "" {
		return o.As
	}
	return o.Name
}

// Toggle tells an option without an argument.
func (o *Option) Toggle() bool { return o.Argument == "" }

// Set takes the argument that was given on a command line. Its error says what is
// possible.
func (o *Option) Set(s *Settings, argument string) error { return o.value.set(s, argument) }

// Text is the value as an argument on a command line, empty where a default is to be
// decided later.
func (o *Option) Text(s *Settings) string { return o.value.text(s) }

// Shown is the value as the text over rows and the page print it, empty if there is none.
func (o *Option) Shown(s *Settings) string {
	text := o.Text(s)
	switch {
	case o.Toggle():
		return map[string]string{"true": "ON", "false": "OFF"}[text]
	case text == "":
		return ""
	}
	return text + o.Suffix
}

// Written is the option as it is given to have its value.
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

// Copy gives to the value that from has.
func (o *Option) Copy(to, from *Settings) { o.value.copy(to, from) }

// DefaultText says in help texts what holds without the option, empty if that needs no
// word.
func (o *Option) DefaultText(t Test) string {
	switch {
	case o.Default != "":
		return o.Default
	case o.Toggle():
		return ""
	}
	s := New(t)
	s.Plan = s.Plan.Resolve()
	return o.Text(&s)
}

// IsSet tells whether the value is not what a test has anyway.
func (o *Option) IsSet(s *Settings) bool {
	plain := New(s.Test)
	plain.Plan = plain.Plan.Resolve()
	return o.isGiven(s) && o.Text(s) != o.Text(&plain)
}

// isGiven tells whether something was said about the value, be it the default.
func (o *Option) isGiven(s *Settings) bool {
	plain := New(s.Test)
	return o.Text(s) != o.Text(&plain)
}
