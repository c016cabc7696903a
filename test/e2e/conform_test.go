package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/conform"
	"github.com/ibperf/ibperf/verbs/verbstest"
)

// conformLimit is the time that the whole suite may take on a busy machine.
const conformLimit = 5 * time.Minute

// twoProcesses are the statements that need a second process.
const twoProcesses = "MR-24|CHN-10|RMA-10|ERR-14"

// readConform reads a report, which must have the members of [conform.Report] and no others, and
// checks it against the list of statements.
func (w *workspace) readConform(name string) *conform.Report {
	w.t.Helper()
	f, err := os.Open(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	defer f.Close()
	var r conform.Report
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	if r.Format != "ibperf-conform" || r.Version != 1 || r.Host == "" || r.Kernel == "" || len(r.Libraries) == 0 || r.Command[0] == "" ||
		r.Finished.Before(r.Started) || r.Device.Port != 1 || r.Device.GID == "" {
		w.t.Fatalf("%s has a wrong head: %+v", name, r)
	}
	w.checkStatements(&r)
	return &r
}

func (w *workspace) checkStatements(r *conform.Report) {
	w.t.Helper()
	counts := map[string]int{}
	rows := verbstest.Coverage()
	for _, s := range r.Statements {
		counts[s.Result]++
		i := slices.IndexFunc(rows, func(row verbstest.Row) bool { return row.ID == s.ID })
		if i < 0 || s.Text != rows[i].Text || s.Source == "" || s.DurationS < 0 || (s.Reason == "") != (s.Result == "ok") {
			w.t.Fatalf("not a statement of the suite, or incomplete: %+v", s)
		}
	}
	c := r.Counts
	want := map[string]int{"ok": c.OK, "quirk": c.Quirk, "allowed": c.Allowed, "skipped": c.Skipped, "differs": c.Differs}
	for result, n := range want {
		if counts[result] != n {
			w.t.Fatalf("%d statements are %s, the counts have %d", counts[result], result, n)
		}
		delete(counts, result)
	}
	if len(counts) > 0 {
		w.t.Fatalf("statements have unknown results: %v", counts)
	}
}

// TestConform runs all statements on the embedded device, which passes them.
func TestConform(t *testing.T) {
	w := newWorkspace(t, "r.json")
	run := w.start("ib_conform", "--loopback", "-d", "shm_whole", "--out_json_file", "r.json")
	run.exits(statusDone, conformLimit)
	run.wantStdout("ok       MR-24    " + statement(t, "MR-24").Text)
	run.wantStdout("with a second process on this host: MR-24, MW-14, CHN-10, RMA-10, ERR-14\n")
	r := w.readConform("r.json")
	if r.Counts.Run()+r.Counts.LeftOut != len(verbstest.Coverage()) || r.Counts.OK < 300 || r.Counts.NotRun > 0 || r.Peer != nil {
		t.Errorf("counts %+v, peer %v", r.Counts, r.Peer)
	}
}

// statement returns the statement with an ID.
func statement(t *testing.T, id string) verbstest.Row {
	t.Helper()
	rows := verbstest.Coverage()
	i := slices.IndexFunc(rows, func(row verbstest.Row) bool { return row.ID == id })
	if i < 0 {
		t.Fatalf("no statement %s", id)
	}
	return rows[i]
}

// TestConformPair runs the peer processes on the server's side, whose connections have the secret too.
func TestConformPair(t *testing.T) {
	for _, secret := range []string{"", " --secret-file secret"} {
		t.Run(secret, func(t *testing.T) {
			w := newWorkspace(t, "r.json", "secret")
			w.writeFiles(".", map[string]string{"secret": secretText})
			server, client := w.startPair("ib_conform", secret, "-d shm_whole --run "+twoProcesses+"|CQ-1 --out_json_file r.json"+secret)
			client.exits(statusDone, conformLimit)
			server.exits(statusDone, patience)
			server.wantStderr("peer processes run on device shm_whole")
			r := w.readConform("r.json")
			if r.Peer == nil || r.Peer.Device != "shm_whole" || !slices.Equal(r.WithPeer(), []string{"MR-24", "CHN-10", "RMA-10", "ERR-14"}) || r.Counts.OK != 5 {
				t.Errorf("report %+v", r)
			}
		})
	}
}

// TestConformQuirks: a quirk that the device does not have makes its statement differ: status 8.
func TestConformQuirks(t *testing.T) {
	w := newWorkspace(t, "own.txt", "r.json")
	text := "quirk: V1\ndriver: shm\nfails: CQ-2\ndoes: nothing of the kind\nsource: this test\n"
	if err := os.WriteFile(filepath.Join(w.dir, "own.txt"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run := w.start("ib_conform", "--loopback", "-d", "shm_whole", "--run", "CQ-[12]", "--quirks", "own.txt", "--out_json_file", "r.json")
	run.exits(statusDiffers, patience)
	run.wantStderr("the device differs in CQ-2")
	run.wantStdout("CQ-2 passes: quirk V1 no longer reproduces: remove it")
	if r := w.readConform("r.json"); r.Counts.Differs != 1 || r.Counts.OK != 1 || len(r.Quirks) != 1 || r.Quirks[0].Source != "this test" {
		t.Errorf("report %+v", r)
	}
}

// TestConformEnds interrupts or kills a side: the client reports the reason, and its report has the
// statements that were run.
func TestConformEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(server, client *process)
		client int
		server int
		says   string
	}{
		"client interrupted": {func(_, client *process) { client.signal(syscall.SIGINT) }, statusOther, statusPeer, "interrupted by SIGINT"},
		"server interrupted": {func(server, _ *process) { server.signal(syscall.SIGTERM) }, statusPeer, statusOther, "interrupted by SIGTERM"},
		"server killed":      {func(server, _ *process) { server.signal(syscall.SIGKILL) }, statusPeer, -1, "peer 127.0.0.1:"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, "*.json", readyName) // a killed server leaves it
			server, client := w.startPair("ib_conform", "", "-d shm_whole --out_json_file r.json")
			client.await("first statement", func() bool { return strings.Contains(client.out.String(), "ok       DEV-1") })
			c.end(server, client)
			client.exits(c.client, patience)
			server.exits(c.server, patience)
			client.wantStderr(c.says)
			if r := w.readConform("r.json"); r.Error == "" || r.Counts.OK == 0 || r.Counts.NotRun == 0 {
				t.Errorf("error %q, %+v", r.Error, r.Counts)
			}
		})
	}
}

// TestConformList: --list prints every statement with its source, and needs no device.
func TestConformList(t *testing.T) {
	w := newWorkspace(t)
	run := w.start("ib_conform", "--list")
	run.exits(statusDone, patience)
	if n := strings.Count(run.out.String(), "\n         source: "); n != len(verbstest.Coverage()) {
		t.Errorf("the list has %d sources, want one of each statement", n)
	}
	run.wantStdout("CQ-7     " + statement(t, "CQ-7").Text + "\n         source: ibv_poll_cq(3)\n         hardware may differ: ")
}

// TestDeviceConform runs statements of each topic on the device, with --loopback and as a pair. The
// tests of verbs/ibv run all.
func TestDeviceConform(t *testing.T) {
	w, options := onDevice(t, "*.json")
	options += " --may-crash --run " + twoProcesses + "|CQ-7|.*-[12] --out_json_file "
	alone := w.start("ib_conform", strings.Fields("--loopback "+options+"alone.json")...)
	alone.exits(statusDone, conformLimit)
	server, client := w.startPair("ib_conform", "-d "+*deviceName, options+"pair.json")
	client.exits(statusDone, conformLimit)
	server.exits(statusDone, patience)
	for _, name := range []string{"alone.json", "pair.json"} {
		r := w.readConform(name)
		if r.Device.Name != *deviceName || (r.Peer != nil) != (name == "pair.json") || !slices.Contains(r.WithPeer(), "MR-24") {
			t.Errorf("report %+v", r)
		}
	}
	w.start("ib_conform", "--loopback", "-d", *deviceName).exits(statusUsage, patience)
}
