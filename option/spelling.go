package option

import "strings"

// Spelled returns the name of the option that is written so, with "-" or "_" as one
// likes: perftest's own names have both, and its documentation has --report-histogram for
// --report-histogrm. A name that is none stays as it is.
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

func dashes(name string) string { return strings.ReplaceAll(name, "_", "-") }
