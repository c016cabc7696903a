package e2e

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// twoCPUs returns the first two CPUs that this process may run on.
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

// TestPinCores: each side's measuring thread runs on its first CPU of --pin_cores, and the text and
// the result file name that CPU.
func TestPinCores(t *testing.T) {
	first, second := twoCPUs(t)
	w := newWorkspace(t, "*.json")
	server, port := w.serve("ib_send_lat", "--pin_cores", first)
	client := w.connect("ib_send_lat", port, "-d", "shm_whole", "-D", "100ms", "--pin_cores", second+","+first, "--out_json_file", "out.json")
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	client.wantStdout(" Measuring CPUs  : " + second + " here, " + first + " at the peer\n")
	server.wantStdout(" Measuring CPUs  : " + first + " here, " + second + " at the peer\n")
	f := w.readResult("out.json")
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

// TestEventInBothPlacements: a comparison of two sides on one host measures event with the threads on
// different CPUs and on one. Where both sides are kept on one CPU, it has that placement only.
func TestEventInBothPlacements(t *testing.T) {
	first, second := twoCPUs(t)
	w := newWorkspace(t, "*.json")
	f := w.measure("ib_send_lat", "--compare --rounds 2 --runs 2 -s 8 -n 600")
	apart, same := rowOf(f, "event"), rowOf(f, "event+same-cpu")
	if apart == nil || same == nil {
		t.Fatalf("rows event and event+same-cpu: %v, %v", apart, same)
	}
	if slices.Contains(apart.Distances, sameCPU) || !slices.Equal(same.Distances, []string{sameCPU}) {
		t.Errorf("distances of event %q, of event+same-cpu %q", apart.Distances, same.Distances)
	}
	if slices.Equal(apart.Local.CPUs, apart.Peer.CPUs) || !slices.Equal(same.Local.CPUs, same.Peer.CPUs) {
		t.Errorf("CPUs of event %v and %v, of event+same-cpu %v and %v", apart.Local.CPUs, apart.Peer.CPUs, same.Local.CPUs, same.Peer.CPUs)
	}
	if f.Local.Idle == nil || f.Peer.Idle == nil {
		t.Errorf("idle states: %v, %v", f.Local.Idle, f.Peer.Idle)
	}
	f = w.measure("ib_send_lat", "--compare --rounds 2 --runs 2 -s 8 -n 600 --pin_cores "+second)
	if r := rowOf(f, "event+same-cpu"); r == nil || strconv.Itoa(r.Local.CPUs[0]) != second {
		t.Errorf("the client pinned to CPU %s: %+v", second, r)
	}
	server, client := w.startPair("ib_send_lat", "--pin_cores "+first, "-d shm_whole -e -n 600 --details --out_json_file client.json --pin_cores "+first)
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	client.wantStdout("Threads that slept: event: same CPU (CPU " + first + ").")
	if r := w.readResult("client.json").Rows; len(r) != 1 || !slices.Equal(r[0].Distances, []string{sameCPU}) {
		t.Errorf("both sides pinned to CPU %s: %+v", first, r)
	}
}

// sameCPU is the distance of a CPU to itself.
const sameCPU = "same CPU"

// TestPinCoresRefusesOtherCPUs: --pin_cores refuses a CPU that the process may not run on.
func TestPinCoresRefusesOtherCPUs(t *testing.T) {
	w := newWorkspace(t)
	client := w.start("ib_send_lat", "127.0.0.1", "--pin_cores", "1023")
	client.exits(statusUsage, patience)
	client.wantStderr("--pin_cores", "may not run on CPU 1023", "taskset")
}
