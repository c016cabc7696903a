package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// wholeText matches what a run of perftest prints, and what is printed here too: header, addresses, rows and
// rules. A server waits first.
var wholeText = regexp.MustCompile(`^(\n\*{36}\n\* Waiting for client to connect\.\.\. \*\n\*{36}\n)?-{87}\n {20}\S.* Test\n(?: .*\n)+-{87}\n` +
	`(?: (?:local|remote) address: LID (?:0000|0x[\da-f]{2,4}) QPN 0x[\da-f]{4,6} PSN 0x[\da-f]{4,6}.*\n GID: (?:\d{2,3}:){15}\d{2,3}\n){2}-{87}\n` +
	` #bytes.*\n(?: \d+ .*\n)+-{87}\n$`)

// aboutRows matches a warning that follows from the measurement, and a finding about this host.
var aboutRows = regexp.MustCompile(`^(WARNING: (size .*|all rows): |FINDING: )`)

// TestTextIsWhole: a run prints perftest's lines on stdout and nothing below the closing rule. stderr has only
// warnings about the measurement, findings, and the port where the system has chosen it.
func TestTextIsWhole(t *testing.T) {
	for _, line := range []string{"ib_write_bw -n 20000 -q 1", "ib_send_lat -n 100", "ib_read_lat -D 1", "ib_read_bw -a -n 10", "ib_atomic_bw", "ib_send_bw -c UD"} {
		t.Run(line, func(t *testing.T) {
			program, options, _ := strings.Cut(line, " ")
			server, client := newWorkspace(t).runPair(statusDone, program, "", "-d shm_whole "+options)
			for _, side := range []*process{server, client} {
				m := wholeText.FindStringSubmatch(side.out.String())
				if m == nil || (m[1] == "") != (side == client) {
					t.Errorf("%s: the text differs from perftest's\n%s", side.name, side.output())
				}
				for line := range strings.Lines(side.err.String()) {
					if port := side == server && strings.HasPrefix(line, "listening on port "); !port && !aboutRows.MatchString(line) {
						t.Errorf("%s: stderr has %q", side.name, line)
					}
				}
			}
		})
	}
}

// TestOutputIsAlone: with --output stdout has numbers alone, and stderr names the software device.
func TestOutputIsAlone(t *testing.T) {
	server, client := newWorkspace(t).runPair(statusDone, "ib_write_lat", "--output latency", "-d shm_whole -s 2,4 --output latency")
	for _, side := range []*process{server, client} {
		if !regexp.MustCompile(`^(\d+\.\d{6}\n){2}$`).MatchString(side.out.String()) {
			t.Errorf("%s: stdout has more than two numbers\n%s", side.name, side.output())
		}
		side.wantStderr("WARNING: this side uses shm_whole: embedded shared-memory device, not RDMA hardware\n")
	}
}
