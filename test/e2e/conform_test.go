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

// conformLimit is how long the whole suite may take on a busy machine.
const conformLimit = 5 * time.Minute

// twoProcesses are the statements that need a second process.
const twoProcesses = "MR-24|CHN-10|RMA-10|ERR-14"

// readConform reads a report, which must have all members and no others, and holds it against
// the list of statements.
func (p *place) readConform(name string) *conform.Report {
	p.t.Helper()
	f, err := os.Open(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	defer f.Close()
	var r conform.Report
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	if r.Format != "ibperf-conform" || r.Version != 1 || r.Host == "" || r.Kernel == "" || len(r.Libraries) == 0 || r.Command[0] == "" ||
		r.Finished.Before(r.Started) || r.Device.Port != 1 || r.Device.GID == "" {
		p.t.Fatalf("%s: %+v", name, r)
	}
	p.checkStatements(&r)
	return &r
}

func (p *place) checkStatements(r *conform.Report) {
	p.t.Helper()
	counts := map[string]int{}
	rows := verbstest.Coverage()
	for _, s := range r.Statements {
		counts[s.Result]++
		i := slices.IndexFunc(rows, func(row verbstest.Row) bool { return row.ID == s.ID })
		if i < 0 || s.Text != rows[i].Says || s.Source == "" || s.DurationS < 0 || (s.Reason == "") != (s.Result == "ok") {
			p.t.Fatalf("%+v", s)
		}
	}
	c := r.Counts
	want := map[string]int{"ok": c.OK, "quirk": c.Quirk, "allowed": c.Allowed, "skipped": c.Skipped, "differs": c.Differs}
	for result, n := range want {
		if counts[result] != n {
			p.t.Fatalf("%d statements are %s, counted are %d", counts[result], result, n)
		}
		delete(counts, result)
	}
	if len(counts) > 0 {
		p.t.Fatalf("results %v", counts)
	}
}

// TestConform holds the embedded device to all statements.
func TestConform(t *testing.T) {
	p := newPlace(t, "r.json")
	run := p.start("ib_conform", "--loopback", "-d", "shm_whole", "--out_json_file", "r.json")
	run.ends(statusDone, conformLimit)
	run.prints("ok       MR-24    keys and QP numbers work between processes")
	run.prints("with a second process on this host: MR-24, MW-14, CHN-10, RMA-10, ERR-14\n")
	r := p.readConform("r.json")
	if r.Counts.Run()+r.Counts.LeftOut != len(verbstest.Coverage()) || r.Counts.OK < 300 || r.Counts.NotRun > 0 || r.Peer != nil {
		t.Errorf("%+v", r.Counts)
	}
}

// TestConformPair runs second processes at a server.
func TestConformPair(t *testing.T) {
	p := newPlace(t, "r.json")
	server, client := p.both("ib_conform", "", "-d shm_whole --run "+twoProcesses+"|CQ-1 --out_json_file r.json")
	client.ends(statusDone, conformLimit)
	server.ends(statusDone, patience)
	server.says("second processes run on device shm_whole")
	r := p.readConform("r.json")
	if r.Peer == nil || r.Peer.Device != "shm_whole" || !slices.Equal(r.WithPeer(), []string{"MR-24", "CHN-10", "RMA-10", "ERR-14"}) || r.Counts.OK != 5 {
		t.Errorf("%+v", r)
	}
}

// TestConformQuirks: a quirk that is not there makes its statement differ, which has a status
// of its own.
func TestConformQuirks(t *testing.T) {
	p := newPlace(t, "own.txt", "r.json")
	text := "quirk: V1\ndevice: shm_*\nfails: CQ-2\ndoes: nothing of the kind\nsource: this test\n"
	if err := os.WriteFile(filepath.Join(p.dir, "own.txt"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run := p.start("ib_conform", "--loopback", "-d", "shm_whole", "--run", "CQ-[12]", "--quirks", "own.txt", "--out_json_file", "r.json")
	run.ends(statusDiffers, patience)
	run.says("the device differs in CQ-2")
	run.prints("CQ-2 passes: quirk V1 no longer reproduces: remove it")
	if r := p.readConform("r.json"); r.Counts.Differs != 1 || r.Counts.OK != 1 || len(r.Quirks) != 1 || r.Quirks[0].Source != "this test" {
		t.Errorf("%+v", r)
	}
}

// TestConformEnds: whatever ends a run, it says so, and its report has what was run.
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
			p := newPlace(t, "*.json", readyName) // a server that is killed leaves its file
			server, client := p.both("ib_conform", "", "-d shm_whole --out_json_file r.json")
			client.await("first statement", func() bool { return strings.Contains(client.out.String(), "ok       DEV-1") })
			c.end(server, client)
			client.ends(c.client, patience)
			server.ends(c.server, patience)
			client.says(c.says)
			if r := p.readConform("r.json"); r.Error == "" || r.Counts.OK == 0 || r.Counts.NotRun == 0 {
				t.Errorf("error %q, %+v", r.Error, r.Counts)
			}
		})
	}
}

// TestConformList: the list has every statement with its source, and needs no device.
func TestConformList(t *testing.T) {
	p := newPlace(t)
	run := p.start("ib_conform", "--list")
	run.ends(statusDone, patience)
	if n := strings.Count(run.out.String(), "\n         source: "); n != len(verbstest.Coverage()) {
		t.Errorf("%d sources", n)
	}
	run.prints("CQ-7     where polling fails it says so and returns nothing\n         source: ibv_poll_cq(3)\n         hardware may differ: ")
}

// TestDeviceConform runs statements of each topic on the device, as one process and as a pair:
// all of them run in the tests of verbs/ibv.
func TestDeviceConform(t *testing.T) {
	p, options := onDevice(t, "*.json")
	options += " --may-crash --run " + twoProcesses + "|CQ-7|.*-[12] --out_json_file "
	alone := p.start("ib_conform", strings.Fields("--loopback "+options+"alone.json")...)
	alone.ends(statusDone, conformLimit)
	server, client := p.both("ib_conform", "-d "+*deviceName, options+"pair.json")
	client.ends(statusDone, conformLimit)
	server.ends(statusDone, patience)
	for _, name := range []string{"alone.json", "pair.json"} {
		r := p.readConform(name)
		if r.Device.Name != *deviceName || (r.Peer != nil) != (name == "pair.json") || !slices.Contains(r.WithPeer(), "MR-24") {
			t.Errorf("%+v", r)
		}
	}
	p.start("ib_conform", "--loopback", "-d", *deviceName).ends(statusUsage, patience)
}
