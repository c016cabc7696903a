package e2e

import (
	"math"
	"regexp"
	"testing"
)

var intervalLine = regexp.MustCompile(`(?m)^ 4096 +\d`)

// TestEndlessRun: a run without an end prints a line for each interval, and a summary when
// either side is told to stop. Both sides end with status 0, and their files are whole.
func TestEndlessRun(t *testing.T) {
	for _, c := range []struct{ program, who, options string }{
		{"ib_write_bw", "client", ""}, {"ib_send_bw", "server", ""}, {"ib_read_bw", "server", "-b"}, {"ib_write_bw", "client", "--verify"},
	} {
		t.Run(c.program+" "+c.who+" "+c.options, func(t *testing.T) {
			p := newPlace(t, "*.json")
			server, port := p.serve(c.program, "--out_json_file", "server.json")
			options := []string{"-d", "shm_whole", "-s", "4K", "--run_infinitely", "-D", "0.3", "--out_json_file", "client.json"}
			if c.options != "" {
				options = append(options, c.options)
			}
			client := p.connect(c.program, port, options...)
			intervals := func(side *process) int { return len(intervalLine.FindAllString(side.out.String(), -1)) }
			client.await("three intervals on both sides", func() bool { return min(intervals(client), intervals(server)) >= 3 })
			signalled := client
			if c.who == "server" {
				signalled = server
			}
			signalled.signal(sigInt)
			client.ends(0, stopLimit)
			server.ends(0, stopLimit)
			for _, side := range []string{"client", "server"} {
				f := p.readResult(side + ".json")
				if f.Interrupted || f.Error != "" || len(f.Rows) != 1 {
					t.Fatalf("file of the %s: interrupted %v, error %q, %d rows", side, f.Interrupted, f.Error, len(f.Rows))
				}
				r := f.Rows[0]
				var messages uint64
				var seconds float64
				for _, i := range r.Rounds {
					messages += i.Messages
					seconds += i.Seconds
				}
				if b := r.Bandwidth; len(r.Rounds) < 3 || messages != b.Messages || math.Abs(seconds-b.Seconds) > 1e-6*seconds {
					t.Errorf("%s: %d intervals of %d messages in %v s, the summary has %d in %v", side, len(r.Rounds), messages, seconds, b.Messages, b.Seconds)
				}
			}
		})
	}
}
