package cli

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/cmd/internal/drawing"
	"github.com/ibperf/ibperf/option"
)

// completeWord is the first word of a command line with which a shell asks what can follow. The shells'
// scripts in packaging/completion have it too.
const completeWord = "complete"

// candidate is a word that can follow, and what it means.
type candidate struct{ word, means string }

// printCandidates prints each candidate in a line, with a tab before its meaning.
func printCandidates(c *console, fits []candidate) error {
	var b strings.Builder
	for _, fit := range fits {
		fmt.Fprintf(&b, "%s\t%s\n", fit.word, fit.means)
	}
	_, err := io.WriteString(c, b.String())
	return err
}

// complete returns what can stand in place of the last of the words after ibperf: programs, options and
// values. If it returns nothing, the word may be a file or a host.
func complete(all []entry, words []string) (fits []candidate) {
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	if len(words) == 1 {
		for _, p := range all {
			fits = append(fits, candidate{p.short(), p.does})
		}
	} else if i := slices.IndexFunc(all, func(p entry) bool { return p.short() == words[0] }); i >= 0 {
		fits, last = argument(helpOptions(all[i]), words[1:])
	}
	return slices.DeleteFunc(fits, func(c candidate) bool { return !strings.HasPrefix(c.word, last) })
}

// argument returns the candidates for the last of a program's arguments, and what there is of it: a value,
// or an option.
func argument(options []helpOption, words []string) (fits []candidate, last string) {
	last, words = words[len(words)-1], words[:len(words)-1]
	// bash makes three words of --name=value.
	if last == "=" {
		last = ""
	} else if n := len(words); n > 0 && words[n-1] == "=" {
		words = words[:n-1]
	}
	before, front := "", ""
	if name, _, is := strings.Cut(last, "="); is {
		before, front = name, name+"="
	} else if len(words) > 0 {
		before = words[len(words)-1]
	}
	for _, o := range options {
		if o.argument == "" || before != "--"+o.name && before != "-"+o.letter {
			continue
		}
		if known := option.Find(o.name); known != nil {
			for _, word := range known.Choices() {
				fits = append(fits, candidate{front + word, ""})
			}
		}
		return fits, last
	}
	if strings.HasPrefix(last, "-") {
		for _, o := range options {
			fits = append(fits, candidate{"--" + o.name, o.means})
		}
	}
	return fits, last
}

// helpOption is an option in the text of --help.
type helpOption struct{ letter, name, argument, means string }

var helpLine = regexp.MustCompile(`(?m)^(?:  -(\w), |      )--([\w-]+)(?:=<([^>]+)>| ([A-Z][A-Z_:,]*))?(?:\n? +(.*))?$`)

// helpOptions returns the options that --help of a program prints.
func helpOptions(p entry) (options []helpOption) {
	var help bytes.Buffer
	if p.name != drawing.Program {
		p.run(call{name: p.name, args: []string{"--help"}, stdout: &help, stderr: &help})
		if strings.Contains(help.String(), "--help=all") {
			help.Reset()
			p.run(call{name: p.name, args: []string{"--help=all"}, stdout: &help, stderr: &help})
		}
	} else if path, err := drawing.Path(); err == nil {
		cmd := exec.Command(path, "--help")
		cmd.Stdout = &help
		_ = cmd.Run() // what it has not printed cannot be completed
	}
	for _, m := range helpLine.FindAllStringSubmatch(help.String(), -1) {
		options = append(options, helpOption{m[1], m[2], m[3] + m[4], m[5]})
	}
	return options
}
