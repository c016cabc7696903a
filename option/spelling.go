package option

import (
	"slices"
	"strings"
)

// Spelled returns the name of the option with a spelling, in which "-" and "_" are the same: perftest's
// names have both, and its documentation has --report-histogram for --report-histogrm. It returns an
// unknown name unchanged.
func Spelled(name string) string {
	plain := dashes(name)
	if plain == "report-histogram" {
		plain = "report-histogrm"
	}
	for _, o := range table {
		if plain == dashes(o.Name) {
			return o.Name
		}
	}
	for _, a := range Absents {
		if plain == dashes(a.Name) {
			return a.Name
		}
	}
	return name
}

// Meant returns the options that a name on a command line may mean: the option with this spelling,
// else those that begin with it. As with getopt_long in perftest, a beginning of only one of
// perftest's options means that one, even if this program does not have it. The program's own options
// come last.
func Meant(name string, own []string) []string {
	if exact := Spelled(name); FindEither(exact, "") != nil || FindAbsent(exact, "") != nil || slices.Contains(own, exact) {
		return []string{exact}
	}
	var theirs, ours []string
	for _, o := range table {
		switch {
		case name == "" || !strings.HasPrefix(dashes(o.Name), dashes(name)):
		case o.Perftest != "":
			theirs = append(theirs, o.Name)
		case slices.Contains(own, o.Name):
			ours = append(ours, o.Name)
		}
	}
	for _, a := range Absents {
		if name != "" && strings.HasPrefix(dashes(a.Name), dashes(name)) {
			theirs = append(theirs, a.Name)
		}
	}
	if len(theirs) == 1 {
		return theirs
	}
	return append(theirs, ours...)
}

func dashes(name string) string { return strings.ReplaceAll(name, "_", "-") }
