package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDiskKeepsThePrintedRows: a side that cannot write its result file prints its rows and ends
// with status 1. The other side ends with status 0.
func TestFullDiskKeepsThePrintedRows(t *testing.T) {
	w := newWorkspace(t)
	server, client := w.startPair("ib_write_lat", "", "-d shm_whole -n 100 --out_json_file /dev/full")
	client.exits(statusOther, patience)
	client.wantStderr("/dev/full: no space left on device")
	client.wantRows("lat", []int{2}, []string{"data"})
	server.exits(statusDone, patience)
	server, client = w.startPair("ib_write_lat", "--out_json_file /dev/full", "-d shm_whole -n 100")
	client.exits(statusDone, patience)
	server.exits(statusOther, patience)
	server.wantStderr("/dev/full: no space left on device")
}

// TestMissingFolderIsFoundBeforeTheRun: a server with a result file in a missing folder ends before it
// listens.
func TestMissingFolderIsFoundBeforeTheRun(t *testing.T) {
	w := newWorkspace(t)
	server := w.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", "0", "--out_json_file", "missing/x.json")
	server.exits(statusOther, patience)
	server.wantStderr("missing/x.json", "create the folder")
	if strings.Contains(server.err.String(), "listening") {
		t.Errorf("the server listened: %s", server.err)
	}
}

// TestReadyFileHoldsThePort: the ready file has the port, and the server removes it at its end.
func TestReadyFileHoldsThePort(t *testing.T) {
	w := newWorkspace(t)
	server, port := w.serve("ib_send_lat")
	server.wantStderr("listening on port " + port + "\n")
	w.connect("ib_send_lat", port, "-d", "shm_whole", "-n", "10").exits(statusDone, patience)
	server.exits(statusDone, patience)
	if _, err := os.Stat(filepath.Join(w.dir, readyName)); err == nil {
		t.Error("the server left the ready file")
	}
}

// TestWrongDataIsInTheResultFile: the file has the counts of --verify and the warning of --force-data.
func TestWrongDataIsInTheResultFile(t *testing.T) {
	w := newWorkspace(t, "*.json")
	w.wantTorn("ib_write_lat", "-d shm_unordered --force-data --out_json_file client.json", 4096)
	data, err := os.ReadFile(filepath.Join(w.dir, "client.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Rows []struct {
			Forced bool
			Verify struct{ Torn uint64 }
		}
		Warnings []struct{ ID string }
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Rows) != 1 || !f.Rows[0].Forced || f.Rows[0].Verify.Torn == 0 {
		t.Errorf("the file has rows %+v, want one, forced and torn", f.Rows)
	}
	var forced bool
	for _, w := range f.Warnings {
		forced = forced || w.ID == "forced-data"
	}
	if !forced {
		t.Errorf("no warning that data mode was forced: %+v", f.Warnings)
	}
	if f := w.readResult("client.json"); f.Parameters.ForceData != true {
		t.Errorf("parameters %+v", f.Parameters)
	}
}
