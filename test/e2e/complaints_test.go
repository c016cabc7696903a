package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// complaint matches a command line of docs/COMPLAINTS.md with the status and the text that it shows.
var complaint = regexp.MustCompile(`(?m)^ {7,8}(ib_\S+) (.*?) +# (?:(kill the server); |server (.*?); )?(\d): (.+)$`)

// TestComplaintsAreAnswered runs each command of docs/COMPLAINTS.md: it ends with the status and
// prints the text that the document gives. Where a busy machine spoils a figure, it runs again.
func TestComplaintsAreAnswered(t *testing.T) {
	docs, err := os.ReadFile("../../docs/COMPLAINTS.md")
	if err != nil {
		t.Fatal(err)
	}
	all := complaint.FindAllStringSubmatch(string(docs), -1)
	if len(all) != 27 {
		t.Fatalf("docs/COMPLAINTS.md has %d commands, want 27", len(all))
	}
	for i, m := range all {
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			status, err := strconv.Atoi(m[5])
			if err != nil {
				t.Fatal(err)
			}
			text := regexp.MustCompile(m[6])
			eventually(t, func() error {
				client, server := answer(t, m[1], strings.Fields(m[2]), strings.Fields(m[4]), m[3] != "")
				got := client.wait(patience)
				if server != nil && !strings.Contains(m[4], "--max-qp") { // which waits for a client within its limit
					server.wait(patience)
				}
				if found := text.MatchString(client.out.String() + client.err.String()); got == status && !found && measuredText.MatchString(m[6]) {
					return fmt.Errorf("%s printed no %q\n%s", client.name, m[6], client.output())
				} else if got != status || !found {
					t.Fatalf("%s: status %d, want %d and %q\n%s", client.name, got, status, m[6], client.output())
				}
				return nil
			})
		})
	}
}

// measuredText matches a text that depends on the measured bandwidth.
var measuredText = regexp.MustCompile(`1000 \+\\S\+`)

// answer starts a command line, and its server where it names node1. The server has options, and is
// killed during the run if kill is set.
func answer(t *testing.T, program string, args, options []string, kill bool) (client, server *process) {
	w := newWorkspace(t, "*.json", readyName) // a killed server leaves it
	if args[len(args)-1] != "node1" {
		return w.start(program, args...), nil
	}
	server, port := w.serve(program, options...)
	client = w.connect(program, port, args[:len(args)-1]...)
	if kill {
		client.await("the first measurement", func() bool { return strings.Contains(client.out.String(), "Data in order?") })
		if err := server.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	return client, server
}
