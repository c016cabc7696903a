package e2e

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// complaint is a command line of docs/COMPLAINTS.md and what it shows.
var complaint = regexp.MustCompile(`(?m)^ {7,8}(ib_\S+) (.*?) +# (?:(kill the server); |server (.*?); )?(\d): (.+)$`)

// Each complaint in docs/COMPLAINTS.md is answered by its command.
func TestComplaintsAreAnswered(t *testing.T) {
	docs, err := os.ReadFile("../../docs/COMPLAINTS.md")
	if err != nil {
		t.Fatal(err)
	}
	all := complaint.FindAllStringSubmatch(string(docs), -1)
	if len(all) != 25 {
		t.Fatalf("%d commands, want 25", len(all))
	}
	for i, m := range all {
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			status, err := strconv.Atoi(m[5])
			if err != nil {
				t.Fatal(err)
			}
			client, server := answer(t, m[1], strings.Fields(m[2]), strings.Fields(m[4]), m[3] != "")
			if got := client.within(patience); got != status || !regexp.MustCompile(m[6]).MatchString(client.out.String()+client.err.String()) {
				t.Errorf("%s: status %d, want %d and %q\n%s", client.name, got, status, m[6], client.said())
			}
			if server != nil {
				server.within(patience)
			}
		})
	}
}

// answer runs a command line: beside a server if it names node1, which has options and may be killed
// once the run is under way.
func answer(t *testing.T, program string, args, options []string, kill bool) (client, server *process) {
	p := newPlace(t, "*.json", readyName) // which a server that is killed leaves
	if args[len(args)-1] != "node1" {
		return p.start(program, args...), nil
	}
	server, port := p.serve(program, options...)
	client = p.connect(program, port, args[:len(args)-1]...)
	if kill {
		client.await("the rows begin", func() bool { return strings.Contains(client.out.String(), "Data in order?") })
		if err := server.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	return client, server
}
