package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A word is a pattern that is retired, with advice.
type word struct {
	pattern *regexp.Regexp
	better  string
}

const (
	actor   = "name the actor: sender, receiver, requester, poller, client, server"
	literal = "say what happens"
)

var words = []word{
	retire(`\btells? whether\b`, "reports whether"),
	retire(`\b(so many|so long|so far|so often)\b`, "N, with its unit"),
	retire(`\b(nobody|somebody|no one else|someone|whoever)\b`, actor),
	retire(`\bwho (looks?|polls?|waits?|reads?|sends?|asks?|comes?|measures?|posts?|knows?|sees?|has|does|still|wants?|is)\b`, actor),
	retire(`\b(lent|lends?|borrows?|borrowed)\b`, "moved from the SRQ to the QP's receive queue"),
	retire(`\ball the same\b`, "regardless, still"),
	retire(`\b(to and fro|in vain|anything not|as far as there|for ever)\b`, literal),
	retire(`\bstrangers?\b`, "a connection that is not an ibperf client"),
	retire(`\b(every|each|all|per) ways?\b`, "completion modes, variants, directions"),
	retire(`\btold\b`, "learns, receives, is notified, gets the option"),
	retire(`\bheard\b`, "received"),
	retire(`\btells? \w+ from\b`, "distinguishes"),
	retire(`\btakes? (its|their|the \w+'s) word\b`, "trusts"),
	retire(`\b(left it open|not as sent|may stay out|do not tell that|needs? not know)\b`, literal),
	retire(`\b(is|are) nothing but\b`, "is only"),
	retire(`\bin turns\b`, "in interleaved runs, alternately"),
	retire(`\b(lay|lays|laid)\b`, "prepares, stores, is, was"),
	retire(`\b(lasts|lasted)\b`, "takes, runs, remains"),
	retire(`\bwhat is (known|left|told|asked|said)\b`, "name the thing: the device, the address, ..."),
	retire(`\bat work\b`, "running"),
	retire(`\bon (its|their) way\b`, "in flight"),
}

func retire(pattern, better string) word {
	return word{regexp.MustCompile(`(?i)` + pattern), better}
}

// margin matches what precedes the text of a line in a comment.
var margin = regexp.MustCompile(`^\s*(//|#|\*|--)?\s*`)

// retired returns a line for each retired word in a text. A phrase may continue on the next line.
func retired(path, text string) (found []string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		both := line
		if i+1 < len(lines) {
			both += " " + margin.ReplaceAllString(lines[i+1], "")
		}
		for _, w := range words {
			if at := w.pattern.FindStringIndex(both); at != nil && at[0] < len(line) {
				found = append(found, fmt.Sprintf("%s:%d: %q: %s", path, i+1, both[at[0]:at[1]], w.better))
			}
		}
	}
	return found
}
