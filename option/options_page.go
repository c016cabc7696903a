package option

import (
	"fmt"
	"strings"
)

const optionsHead = `# Options

All options of the programs, by topic. This page is made from the table of options (` + "`option/`" + `);
` + "`go test ./option -update`" + ` renews it. ` + "`--help=all`" + ` of a program prints its own options.
[PERFTEST.md](PERFTEST.md) goes through perftest's options and what differs.

` + OwnershipNote + `

Times are in seconds or have a unit (` + "`10`, `0.5`, `500ms`, `3d`" + `), sizes are in bytes or KiB, MiB, GiB (` + "`64K`, `1M`, `1G`" + `).
A long name may be shortened to a beginning that no other option of perftest has; ` + "`-` and `_`" + ` are the same.
"bw" and "lat" are the bandwidth and the latency tests. The last column marks the options of ib_compare.
`

// OptionsPage returns the page of all options, as Markdown. Only a test calls it, whose -update writes
// docs/OPTIONS.md.
func OptionsPage() string {
	var b strings.Builder
	b.WriteString(optionsHead)
	for _, g := range Groups(func(*Option) bool { return true }) {
		var lines []string
		for _, o := range g.Options {
			lines = append(lines, o.pageLine())
		}
		section(&b, g.Title, "| option | meaning | default | programs | ib_compare |", lines)
	}
	return b.String()
}

// pageLine returns the option's line of the page.
func (o *Option) pageLine() string {
	compare := ""
	if o.InCompare() {
		compare = "yes"
	}
	name := written(o.Name, o.Letter)
	if o.Argument != "" {
		name = strings.TrimSuffix(name, "`") + " " + o.Argument + "`"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", name, strings.ReplaceAll(o.Help, "|", `\|`), o.pageDefault(), o.programs(), compare)
}

// pageDefault returns the default of the option, with the programs of each if there are several.
func (o *Option) pageDefault() string {
	if o.As != "" {
		return ""
	}
	text := o.testsDefault()
	if d, own := compareDefaults[o.Name]; own && !strings.Contains(text, d) {
		text += "; " + CompareProgram + ": " + d
	}
	return text
}

// testsDefault returns the default of the option in the tests.
func (o *Option) testsDefault() string {
	var texts []string
	having := map[string][]Test{}
	for _, t := range Tests() {
		if text := o.DefaultText(t); o.In(t) && text != "" {
			if having[text] == nil {
				texts = append(texts, text)
			}
			having[text] = append(having[text], t)
		}
	}
	switch len(texts) {
	case 0:
		return o.DefaultText(Test{})
	case 1:
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = text + " (" + programsOf(having[text]) + ")"
	}
	return strings.Join(texts, ", ")
}
