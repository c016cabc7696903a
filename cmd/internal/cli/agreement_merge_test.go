package cli

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// both parses the command lines of a client and a server.
func both(t *testing.T, client, server string) (c, s *options) {
	t.Helper()
	c, err := parse(writeBW, strings.Fields(client))
	if err != nil {
		t.Fatal(err)
	}
	if s, err = parse(writeBW, strings.Fields(server)); err != nil {
		t.Fatal(err)
	}
	return c, s
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, client, server string
		decided              []string // by the server
		has                  func(*option.Plan) bool
	}{
		{"neither", "", "", nil, func(p *option.Plan) bool { return p.Sizes[0] == 65536 }},
		{"client only", "-s 8 -q 4", "", nil, func(p *option.Plan) bool { return p.Sizes[0] == 8 && p.QPs == 4 }},
		{"server only", "", "-s 8 -q 4", []string{"--size 8", "--qp 4"},
			func(p *option.Plan) bool { return p.Sizes[0] == 8 && p.QPs == 4 }},
		{"different options", "-s 8", "-q 4", []string{"--qp 4"},
			func(p *option.Plan) bool { return p.Sizes[0] == 8 && p.QPs == 4 }},
		{"the same on both", "-s 64K", "-s 65536", nil, func(p *option.Plan) bool { return p.Sizes[0] == 65536 }},
		{"the same by other names", "-e", "--completion event", nil,
			func(p *option.Plan) bool { return p.Completion == option.ModeEvent }},
		{"server gives the client's default", "", "-s 64K", nil, func(p *option.Plan) bool { return p.Sizes[0] == 65536 }},
		{"server times the run", "", "-D 2", []string{"--duration 2"},
			func(p *option.Plan) bool { return p.Duration > 0 && p.Iterations == 0 }},
		{"server sweeps", "", "-a", []string{"--all"}, func(p *option.Plan) bool { return len(p.Sizes) == 23 }},
		{"server compares", "", "--compare --verify", []string{"--compare", "--verify"},
			func(p *option.Plan) bool { return p.Compare && p.Verify }},
		{"server forbids relaxed ordering", "", "--disable_pcie_relaxed", []string{"--disable_pcie_relaxed"},
			func(p *option.Plan) bool { return p.DisablePCIeRelaxed }},
		{"server reads no clock", "", "-N", []string{"--noPeak"}, func(p *option.Plan) bool { return p.NoPeak }},
		{"server counts, the client has a default", "", "-n 7", []string{"--iters 7"}, func(p *option.Plan) bool { return p.Iterations == 7 }},
		{"own options", "-d a -p 1 -x 1", "-d b -p 2 -x 2 -F", nil, func(*option.Plan) bool { return true }},
	} {
		client, server := both(t, c.client, c.server)
		p, decided, err := merge(client, server)
		if err == nil {
			_, err = resolve(p, server, decided)
		}
		if err != nil || !c.has(&p) || !slices.Equal(decided, c.decided) {
			t.Errorf("%s: %+v, %q, %v, want decided %q", c.name, p, decided, err, c.decided)
		}
		if got, err := checkAnswer(&p, client); err != nil || !slices.Equal(got, c.decided) {
			t.Errorf("%s: the client sees %q, %v, want %q", c.name, got, err, c.decided)
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	for _, c := range []struct{ client, server, want string }{
		{"-s 8", "-s 16", "the client was given --size 8 and the server --size 16"},
		{"-s 8", "-a", "the client was given --size 8 and the server --all"},
		{"-n 5", "-D 1", "--iters and --duration exclude each other: a run is either counted or timed; the server was given --duration 1"},
		{"-e", "--completion poll", "--completion event and the server --completion poll"},
		{"--compare", "-e", "leave --completion and --events out; the server was given --completion event"},
		{"-t 1", "-t 2", "--tx-depth 1 and the server --tx-depth 2"},
		{"--verify", "--verify=false", "--verify and the server --verify=false"},
		{"-q 2 -I 8", "-q 3 -I 9", "--qp 2 and the server --qp 3; the client was given --inline_size 8 and the server --inline_size 9"},
	} {
		client, server := both(t, c.client, c.server)
		p, decided, err := merge(client, server)
		if err == nil {
			_, err = resolve(p, server, decided)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || Status(err) != StatusUsage {
			t.Errorf("%s against %s: %v, want a conflict with %q", c.client, c.server, err, c.want)
		}
	}
}

func TestServerMustReturnTheClientsOptions(t *testing.T) {
	client, server := both(t, "-s 8", "-s 16")
	if _, err := checkAnswer(&server.Plan, client); Status(err) != StatusPeer {
		t.Errorf("the server returned another size: %v", err)
	}
}

func TestDecodePlanChecksThePeersPlan(t *testing.T) {
	for _, data := range []string{
		``, `null7`, `[]`, `{"sizes_bytes":null}`, `{"sizes_bytes":[]}`, `{"sizes_bytes":[-1]}`, `{"sizes_bytes":"\u001b[2J"}`,
		`{"qps":1e9}`, `{"qps":0}`, `{"completion":"sleep"}`, `{"compare":true,"completion":"data"}`, `{"duration_s":"1"}`,
		`{"duration_s":1e300}`, `{"iterations":5,"duration_s":1}`, `{"latency_gap_ns":10}`, `{"mtu_bytes":1500}`,
	} {
		_, err := decodePlan([]byte(data), writeBW, "client", "0.1")
		if Status(err) != StatusPeer || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("plan %s: %v, status %d", data, err, Status(err))
		}
	}
}

// Options that a plan leaves out have their defaults. Unknown options are refused by name.
func TestPlansOfOtherReleases(t *testing.T) {
	p, err := decodePlan([]byte(`{"qps":3}`), writeBW, "client", "0.1")
	want := option.Defaults(writeBW)
	want.QPs = 3
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("a plan with one option: %+v, %v", p, err)
	}
	// An encoded plan has no options that are not used.
	if data, err := want.EncodeGiven(); err != nil || string(data) != `{"qps":3}` {
		t.Errorf("encoded as %s, %v", data, err)
	}
	_, err = decodePlan([]byte(`{"qps":3,"teleport":true,"warp_ns":1}`), writeBW, "client", "9.9")
	if Status(err) != StatusUsage {
		t.Fatalf("status %d: %v", Status(err), err)
	}
	for _, want := range []string{"teleport, warp_ns", "ibperf 9.9", "ibperf " + ownRelease, "update ibperf on the server"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: no %q", err, want)
		}
	}
}

// Both releases are printed if they differ, also in the revision alone.
func TestReleasesOfBothSidesArePrinted(t *testing.T) {
	const other = "v0.0.0-20260102150405-0123456789ab+dirty"
	for _, theirs := range []string{ownRelease, other, "v0.2.0", "0.1.0"} {
		var said strings.Builder
		s := &peerSession{output: &output{console: newConsole(io.Discard, &said)}}
		proposal := fmt.Sprintf(`{"release":%q,"program":"p","device":{"name":"d","backend":"b"}}`, theirs)
		if _, err := oob.DecodeProposal([]byte(proposal)); err != nil {
			t.Errorf("%s: %v", theirs, err)
		}
		s.compareReleases(theirs)
		want := ""
		if theirs != ownRelease {
			want = "the peer has ibperf " + theirs + ", this side " + ownRelease + "\n"
		}
		if said.String() != want {
			t.Errorf("%s: said %q, want %q", theirs, said.String(), want)
		}
	}
}
