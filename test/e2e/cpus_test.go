package e2e

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// twoCPUs are the first two that this process may run on.
func twoCPUs(t *testing.T) (first, second string) {
	t.Helper()
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs")
	}
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "Cpus_allowed_list:")
	list, _, _ = strings.Cut(strings.TrimSpace(list), "\n")
	list = strings.ReplaceAll(list, "-", ",")
	cpus := strings.Split(list, ",")
	return cpus[0], cpus[1]
}

// TestPinCores: each side's measuring thread is where it was told to be, and the file and
// the text say so.
func TestPinCores(t *testing.T) {
	first, second := twoCPUs(t)
	p := newPlace(t, "*.json")
	server, port := p.serve("ib_send_lat", "--pin_cores", first)
	client := p.connect("ib_send_lat", port, "-d", "shm_whole", "-D", "100ms", "--pin_cores", second+","+first, "--out_json_file", "out.json")
	client.ends(statusDone, patience)
	server.ends(statusDone, patience)
	client.prints(" Measuring CPUs  : " + second + " here, " + first + " at the peer\n")
	server.prints(" Measuring CPUs  : " + first + " here, " + second + " at the peer\n")
	f := p.readResult("out.json")
	for side, c := range map[string]struct {
		pinned *int
		ran    []int
		want   string
	}{"client": {f.Local.PinnedCPU, f.Rows[0].Local.CPUs, second}, "server": {f.Peer.PinnedCPU, f.Rows[0].Peer.CPUs, first}} {
		if c.pinned == nil || strconv.Itoa(*c.pinned) != c.want || len(c.ran) != 1 || strconv.Itoa(c.ran[0]) != c.want {
			t.Errorf("%s: pinned to %v, ran on %v, want %s", side, c.pinned, c.ran, c.want)
		}
	}
}

func TestPinCoresRefuses(t *testing.T) {
	p := newPlace(t)
	client := p.start("ib_send_lat", "127.0.0.1", "--pin_cores", "1023")
	client.ends(statusUsage, patience)
	client.says("--pin_cores", "may not run on CPU 1023", "taskset")
}
