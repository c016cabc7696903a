package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// page is the content of a man page.
type page struct {
	name, release string
	help          *help
	others        []string // programs with a page
}

// deviceVariable names the device; the option -d of the programs that read the variable says so.
const deviceVariable = "IBPERF_DEVICE"

// roff returns the page in the macros of man(7).
func (p *page) roff() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"ibperf %s\" \"ibperf\"\n", strings.ToUpper(p.name), escape(p.release))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", p.name, escape(p.purpose()))
	b.WriteString(".SH SYNOPSIS\n")
	writeEntries(&b, p.help.usage)
	b.WriteString(".SH DESCRIPTION\n")
	writeParagraphs(&b, p.help.paragraphs)
	b.WriteString(".SH OPTIONS\n")
	writeOptions(&b, p.help.options)
	for _, l := range p.help.lists {
		fmt.Fprintf(&b, ".SH %s\n", escape(strings.ToUpper(l.title)))
		writeEntries(&b, l.entries)
	}
	if p.has(deviceVariable) {
		fmt.Fprintf(&b, ".SH ENVIRONMENT\n.TP\n.B %s\nThe device without \\-d. An empty value counts as unset.\n", deviceVariable)
	}
	if len(p.help.statuses) > 0 {
		b.WriteString(".SH EXIT STATUS\n")
		writeEntries(&b, p.help.statuses)
	}
	writeExamples(&b, p.help.examples)
	b.WriteString(".SH SEE ALSO\n" + p.seeAlso())
	return b.String()
}

// purpose returns what the program does, from the first sentence of its help: "measures ...".
func (p *page) purpose() string {
	if len(p.help.paragraphs) == 0 {
		return ""
	}
	text := strings.TrimPrefix(p.help.paragraphs[0], p.name+" ")
	text, _, _ = strings.Cut(text, ". ")
	text, _, _ = strings.Cut(strings.TrimSuffix(text, "."), ": ")
	runes := []rune(text)
	runes[0] = unicode.ToLower(runes[0])
	return string(runes)
}

// has reports whether a text about an option has a word.
func (p *page) has(word string) bool {
	for _, s := range p.help.options {
		for _, e := range s.entries {
			if strings.Contains(e.text, word) {
				return true
			}
		}
	}
	return false
}

func (p *page) seeAlso() string {
	var pages []string
	for _, other := range p.others {
		if other != p.name {
			pages = append(pages, fmt.Sprintf(".BR %s (1),", other))
		}
	}
	pages = append(pages, ".BR ibv_query_qp_data_in_order (3)")
	return strings.Join(pages, "\n") + "\n"
}

// writeOptions writes options, with the titles of their groups.
func writeOptions(b *strings.Builder, groups []section) {
	for _, g := range groups {
		if g.title != "Options" {
			fmt.Fprintf(b, ".SS %s\n", escape(g.title))
		}
		writeEntries(b, g.entries)
	}
}

func writeEntries(b *strings.Builder, entries []entry) {
	for i, e := range entries {
		switch {
		case e.text != "":
			fmt.Fprintf(b, ".TP\n%s\n%s\n", styled(e.head), escape(e.text))
		case i > 0:
			b.WriteString(".br\n" + styled(e.head) + "\n")
		default:
			b.WriteString(styled(e.head) + "\n")
		}
	}
}

func writeParagraphs(b *strings.Builder, paragraphs []string) {
	for i, text := range paragraphs {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(escape(text) + "\n")
	}
}

func writeExamples(b *strings.Builder, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(".SH EXAMPLES\n.nf\n")
	for _, line := range lines {
		b.WriteString(escape(line) + "\n")
	}
	b.WriteString(".fi\n")
}

// styles matches what is bold in the head of an entry, an option, a program or a status, and then what is
// in italics: a word that the user replaces.
var styles = regexp.MustCompile(`(\B--?[A-Za-z][\w-]*|^ib\w+|^\d+)|([A-Z][A-Z_]*)`)

// styled returns the head of an entry with its styles.
func styled(head string) string {
	var b strings.Builder
	end := 0
	for _, m := range styles.FindAllStringSubmatchIndex(head, -1) {
		font := `\fI`
		if m[2] >= 0 {
			font = `\fB`
		}
		b.WriteString(escape(head[end:m[0]]) + font + escape(head[m[0]:m[1]]) + `\fR`)
		end = m[1]
	}
	return b.String() + escape(head[end:])
}

// escape escapes text for roff.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
