package e2e

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// clusterLimit is the time that the tests of up to eight ranks may take on a busy machine.
const clusterLimit = 10 * time.Minute

// clusterReport has the members of cluster.json that tests look at.
type clusterReport struct {
	Status int
	Nodes  []struct {
		Rank               int
		Device, State, Why string
	}
	Pairs []struct {
		A, B   int
		Figure string
	} `json:"bad_pairs"`
	Tests []clusterTest
}

// clusterTest is a line of a journal.
type clusterTest struct {
	Round, A, B int
	Time        time.Time
	Bandwidth   float64 `json:"bandwidth_bytes_per_s"`
	MedianNs    float64 `json:"latency_p50_ns"`
	Error       string
}

// states returns the ranks that are in a state.
func (r *clusterReport) states(state string) (ranks []int) {
	for _, n := range r.Nodes {
		if n.State == state {
			ranks = append(ranks, n.Rank)
		}
	}
	return ranks
}

// measuredPairs returns the number of different pairs with both figures.
func measuredPairs(tests []clusterTest) int {
	all := map[[2]int]bool{}
	for _, t := range tests {
		if t.Bandwidth > 0 && t.MedianNs > 0 {
			all[[2]int{min(t.A, t.B), max(t.A, t.B)}] = true
		}
	}
	return len(all)
}

// readCluster reads the report in the folder out, whose tests are those of the journal.
func (w *workspace) readCluster() *clusterReport {
	w.t.Helper()
	r := &clusterReport{}
	data, err := os.ReadFile(filepath.Join(w.dir, "out", "cluster.json"))
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	if tests := w.readClusterJournal(); len(tests) != len(r.Tests) {
		w.t.Fatalf("the journal has %d tests, the report %d", len(tests), len(r.Tests))
	}
	return r
}

// readClusterJournal reads the tests in the journal in the folder out.
func (w *workspace) readClusterJournal() (tests []clusterTest) {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "out", "journal.jsonl"))
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	for _, line := range lines[1:] {
		var t clusterTest
		if err == nil {
			err = json.Unmarshal(line, &t)
		}
		tests = append(tests, t)
	}
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	return tests
}

// freePort returns a port at which nothing listens.
func freePort(w *workspace) string {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// startCluster starts the given ranks as plain processes, with options that are split at blanks, and more of one rank.
func (w *workspace) startCluster(of int, started []int, options string, more map[int]string) map[int]*process {
	w.t.Helper()
	return w.startRanks("ib_cluster", of, started, options, more)
}

// startRanks starts ranks of a program as startCluster does.
func (w *workspace) startRanks(program string, of int, started []int, options string, more map[int]string) map[int]*process {
	w.t.Helper()
	port, all := freePort(w), map[int]*process{}
	if !strings.HasPrefix(options, "-d ") {
		options = "-d shm_whole " + options
	}
	for _, rank := range started {
		args := append([]string{"--dir", "out", "--ranks", strconv.Itoa(of), "--rank", strconv.Itoa(rank), "--root", "127.0.0.1", "-p", port},
			strings.Fields(options+" "+more[rank])...)
		all[rank] = w.start(program, args...)
	}
	return all
}

// endCluster waits for the end of rank 0 with a status, which its last line repeats, and of all others with status 0.
func endCluster(ranks map[int]*process, status int) {
	root := ranks[0]
	root.t.Helper()
	root.exits(status, clusterLimit)
	if text := "; exit status " + strconv.Itoa(status) + "\n"; !strings.HasSuffix(root.out.String(), text) {
		root.t.Fatalf("the last line is not %q\n%s", text, root.output())
	}
	for rank, p := range ranks {
		if rank > 0 {
			p.exits(statusDone, time.Minute)
		}
	}
}

// wantFault checks that one rank alone is in a state, for a reason, and that no other one is bad or absent.
func (r *clusterReport) wantFault(t *testing.T, rank int, state, why string) {
	t.Helper()
	for _, n := range r.Nodes {
		switch {
		case n.Rank == rank && (n.State != state || !strings.Contains(n.Why, why)):
			t.Errorf("rank %d is %s (%s), want %s (%s)", n.Rank, n.State, n.Why, state, why)
		case n.Rank != rank && n.State != "good" && n.State != "undecided":
			t.Errorf("rank %d is %s: %s", n.Rank, n.State, n.Why)
		}
	}
	if len(r.Pairs) > 0 {
		t.Errorf("bad pairs: %v", r.Pairs)
	}
}

// TestCluster tests the pairs of four ranks of which a fifth does not appear.
func TestCluster(t *testing.T) {
	w := newWorkspace(t, "out")
	endCluster(w.startCluster(5, []int{0, 1, 2, 3}, "--connect-timeout 20 --keep all", nil), statusPeer)
	r := w.readCluster()
	r.wantFault(t, 4, "missing", "did not appear within 20s (--connect-timeout)")
	if n := measuredPairs(r.Tests); n != 6 || r.Status != statusPeer || !slices.Equal(r.states("missing"), []int{4}) {
		t.Errorf("%d pairs, status %d, missing %v, want 6, %d and rank 4", n, r.Status, r.states("missing"), statusPeer)
	}
	for _, name := range []string{"pairs_bandwidth.png", "pairs_bandwidth.svg", "pairs_latency.png", "pairs_latency.svg"} {
		if info, err := os.Stat(filepath.Join(w.dir, "out", name)); err != nil || info.Size() < 1000 {
			t.Errorf("the heat map: %v", err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(w.dir, "out", "tests", "round*_[12].json")); len(files) != 2*len(r.Tests) {
		t.Errorf("%d result files of %d tests, want two of each", len(files), len(r.Tests))
	}
	root := w.startCluster(5, []int{0}, "", nil)[0]
	root.exits(statusOther, patience)
	root.wantStderr("continue its run with --resume")
}

// TestClusterOfOneNode: a node is tested with itself, and must meet limits.
func TestClusterOfOneNode(t *testing.T) {
	for limit, status := range map[string]int{"0.001": statusDone, "1000000": statusLimit} {
		w := newWorkspace(t, "out")
		endCluster(w.startCluster(1, []int{0}, "--min-bw "+limit, nil), status)
		if r := w.readCluster(); len(r.Tests) != 3 || len(r.states("good")) != map[int]int{statusDone: 1}[status] {
			t.Errorf("--min-bw %s: %d tests, good %v", limit, len(r.Tests), r.states("good"))
		}
	}
}

// TestClusterOfTwoRails tests the pairs of two devices of three ranks, one rail after another or both together.
func TestClusterOfTwoRails(t *testing.T) {
	for _, more := range []string{"", " --all-rails"} {
		w := newWorkspace(t, "out")
		ranks := w.startCluster(3, []int{0, 1, 2}, "-d shm_whole,shm_unordered --partners 1 --time-limit 1s --keep all"+more, nil)
		endCluster(ranks, statusDone)
		r := w.readCluster()
		if n := measuredPairs(r.Tests); n < 2 || len(r.Nodes) != 6 {
			t.Errorf("%q: %d pairs of %d devices, want 2 or more of 6", more, n, len(r.Nodes))
		}
		for i, n := range r.Nodes {
			if want := []string{"shm_whole", "shm_unordered"}[i%2]; n.Rank != i/2 || n.Device != want {
				t.Errorf("%q: device %d is %s of rank %d", more, i, n.Device, n.Rank)
			}
		}
		for _, test := range r.Tests {
			if test.A%2 != test.B%2 || test.Error != "" {
				t.Errorf("%q: test %+v", more, test)
			}
		}
		files, _ := filepath.Glob(filepath.Join(w.dir, "out", "tests", "round1_?.1-?.1_1.json"))
		if data, err := os.ReadFile(strings.Join(files, "")); err != nil || !strings.Contains(string(data), "shm_unordered") {
			t.Errorf("%q: result files of rail 1 %v, %v", more, files, err)
		}
		ranks[0].wantStdout("rail 1 (shm_unordered): median bandwidth ")
	}
}

// TestClusterByIbperf: the program that has all others lets ib_report draw the heat maps.
func TestClusterByIbperf(t *testing.T) {
	w := newWorkspace(t, "out")
	port := freePort(w)
	start := func(rank string) *process {
		return w.start("ibperf", "cluster", "-d", "shm_whole", "--dir", "out", "--ranks", "2", "--rank", rank, "--root", "127.0.0.1", "-p", port, "--quick")
	}
	endCluster(map[int]*process{0: start("0"), 1: start("1")}, statusDone)
	if info, err := os.Stat(filepath.Join(w.dir, "out", "pairs_bandwidth.png")); err != nil || info.Size() < 1000 {
		t.Errorf("the heat map: %v", err)
	}
}
