package option

import (
	"fmt"
	"slices"
	"strings"
)

// FindAbsent returns an option of perftest that there is not, by name or letter; nil if
// perftest has none either.
func FindAbsent(name, letter string) *Absent {
	i := slices.IndexFunc(Absents, func(a Absent) bool {
		return name != "" && a.Name == name || letter != "" && a.Letter == letter
	})
	if i < 0 {
		return nil
	}
	return &Absents[i]
}

const perftestHead = `# Options beside perftest's

What became of each option of perftest. This page is made of the table of options
(` + "`option/`" + `); ` + "`go test ./option -update`" + ` renews it. Names and letters are perftest's where
there is such an option, and all defaults are but where it says so. As with perftest, the beginning of
a long name stands for it if no other one of perftest's begins so; ` + "`-` and `_`" + ` are the same. An option that
other programs have is refused with their names. Which command lines are tested beside perftest's programs is in ` + "`test/e2e/testdata/beside.txt`" + `.
`

// PerftestPage returns the page of all options of perftest, as Markdown.
func PerftestPage() string {
	var equal, different, own []string
	for _, o := range table {
		name := written(o.Name, o.Letter)
		switch o.Perftest {
		case "":
			own = append(own, fmt.Sprintf("| %s | %s | %s |", name, o.programs(), o.Help))
		case same:
			equal = append(equal, fmt.Sprintf("| %s | %s | %s |", name, o.programs(), o.Help))
		default:
			different = append(different, fmt.Sprintf("| %s | %s | %s | %s |", name, o.programs(), o.Help, o.Perftest))
		}
	}
	var absent []string
	for _, a := range Absents {
		absent = append(absent, fmt.Sprintf("| %s | %s |", written(a.Name, a.Letter), a.Why))
	}
	var b strings.Builder
	b.WriteString(perftestHead)
	section(&b, "The same", "| option | programs | meaning |", equal)
	section(&b, "Different, and how", "| option | programs | meaning | different |", different)
	section(&b, "Not offered", "| option | why |", absent)
	section(&b, "What perftest does not have", "| option | programs | meaning |", own)
	return b.String()
}

func section(b *strings.Builder, title, head string, lines []string) {
	rule := strings.Repeat("| --- ", strings.Count(head, "|")-1) + "|"
	fmt.Fprintf(b, "\n## %s\n\n%s\n%s\n%s\n", title, head, rule, strings.Join(lines, "\n"))
}

func written(name, letter string) string {
	if letter == "" {
		return "`--" + name + "`"
	}
	return "`-" + letter + "`, `--" + name + "`"
}

// Owners names the programs that have the option, in a sentence.
func (o *Option) Owners() string {
	switch all := o.programs(); {
	case all == KindBandwidth:
		return "the bandwidth tests"
	case all == KindLatency:
		return "the latency tests"
	case strings.HasPrefix(all, "all"):
		return "the tests (ib_write_bw and the others)"
	case strings.HasPrefix(all, "ib_"):
		return all
	default:
		return "ib_" + strings.ReplaceAll(all, ", ", ", ib_")
	}
}

// programs names those that have the option.
func (o *Option) programs() string {
	var names []string
	for _, t := range Tests() {
		if o.In(t) {
			names = append(names, strings.TrimPrefix(t.Program(), "ib_"))
		}
	}
	switch len(names) {
	case 0:
		if o.InConform() {
			return ConformProgram
		}
		return CompareProgram
	case len(Tests()):
		switch o.Whose {
		case Client:
			return "all, client"
		case Server:
			return "all, server"
		}
		return "all"
	case len(Tests()) / 2:
		if o.In(Test{OpWrite, KindBandwidth}) != o.In(Test{OpWrite, KindLatency}) {
			return names[0][strings.LastIndex(names[0], "_")+1:]
		}
	}
	return strings.Join(names, ", ")
}
