package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/result"
)

// slowed is an engine whose ports have smaller MTUs than they could.
func slowed(ctx context.Context, c harness.Config) error {
	c.File.Local.Device = result.Device{Port: 1, LinkLayer: "Ethernet", ActiveMTU: 1024, MaxMTU: 4096}
	err := quick(ctx, c)
	c.File.Peer = c.File.Local
	return err
}

// A run ends with its findings, in the text of both sides and in their files. Programs get the file alone.
func TestFindingsOfARun(t *testing.T) {
	found := regexp.MustCompile(`(?m)^FINDING: on (this side|the peer): Port 1 of shm_whole has an active MTU of 1024 bytes, .* Fix: .*$`)
	for args, want := range map[string]int{
		"-d shm_whole -s 64K":                  2, // one for each side
		"-d shm_whole -s 64K --output latency": 0,
		"-d shm_whole -s 64K --format json":    0,
		"-d shm_whole -s 1K":                   0,
	} {
		path := filepath.Join(t.TempDir(), "out.json")
		server, client, serverErr, clientErr := run(t, writeLat, slowed, "", args+" --out_json_file "+path)
		if serverErr != nil || clientErr != nil {
			t.Fatal(args, serverErr, clientErr)
		}
		if n := len(found.FindAllString(client.err.String(), -1)); n != want {
			t.Errorf("%s: %d findings, want %d\n%s", args, n, want, client.err)
		}
		if n := len(found.FindAllString(server.err.String(), -1)); strings.HasSuffix(args, "1K") != (n == 0) {
			t.Errorf("%s: the server has printed %d findings\n%s", args, n, server.err)
		}
		f, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		about := slices.ContainsFunc(f.Findings, func(f result.Finding) bool { return f.ID == "mtu" && f.Side == result.SidePeer })
		if about == strings.HasSuffix(args, "1K") {
			t.Errorf("%s: the file has the findings %+v", args, f.Findings)
		}
	}
}

// ib_caps --doctor prints facts about the host and the device, and a file has them too.
func TestDoctor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "caps.json")
	out := &buffer{}
	if err := printCaps(newConsole(out, out), capsProgram, []string{"--doctor", "-d", "fake0", "--out_json_file", path}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"host ", "locked memory:", "device fake0, port 1", "PCI function:"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not printed\n%s", want, out)
		}
	}
	if !strings.Contains(string(data), `"doctor"`) || !strings.Contains(string(data), `"findings"`) {
		t.Errorf("the file has no facts: %s", data)
	}
}

// Without -d all devices but embedded ones are inspected; the status is that of those that cannot be opened.
func TestDoctorOfAllDevices(t *testing.T) {
	out := &buffer{}
	err := printCaps(newConsole(out, out), capsProgram, []string{"--doctor"})
	wantEnd(t, "--doctor", err, StatusDevice, "device fakelocked: open: ")
	if text := out.String(); strings.Contains(text, "device shm_") || !strings.Contains(text, "device fakelocked, port 1") || !strings.Contains(text, "device fakedown, port 1") {
		t.Errorf("printed\n%s", text)
	}
}

// A comparison prints the findings of all its tests below the verdict, each once.
func TestFindingsOfAComparison(t *testing.T) {
	c := startBoth(t, slowed, "-s", "64K", "--runs", "2")
	if err := c.client.end(t); err != nil && Status(err) != StatusUnclear {
		t.Fatal(err)
	}
	for _, side := range []string{"on this side: ", "on the peer: "} {
		if n := strings.Count(c.client.err.String(), "FINDING: "+side+"Port 1 of shm_whole has an active MTU"); n != 1 {
			t.Errorf("%d findings %s\n%s", n, side, c.client.err)
		}
	}
	f, err := result.Read(filepath.Join(c.dir, "write-bw.json"))
	if err != nil || len(f.Findings) != 2 {
		t.Errorf("the merged file: %v, %v", f, err)
	}
}
