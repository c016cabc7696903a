package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk: the results are on stdout, and the status says that the file is
// not there. The other side has done its run.
func TestFullDisk(t *testing.T) {
	p := newPlace(t)
	server, client := p.both("ib_write_lat", "", "-d shm_whole -n 100 --out_json_file /dev/full")
	client.ends(statusOther, patience)
	client.says("/dev/full: no space left on device")
	client.wantRows("lat", []int{2}, []string{"data"})
	server.ends(statusDone, patience)
	server, client = p.both("ib_write_lat", "--out_json_file /dev/full", "-d shm_whole -n 100")
	client.ends(statusDone, patience)
	server.ends(statusOther, patience)
	server.says("/dev/full: no space left on device")
}

// TestMissingFolderIsFoundBeforeTheRun on the server's side as well.
func TestMissingFolderIsFoundBeforeTheRun(t *testing.T) {
	p := newPlace(t)
	server := p.start("ib_write_lat", "--bind_source_ip", "127.0.0.1", "--port", "0", "--out_json_file", "missing/x.json")
	server.ends(statusOther, patience)
	server.says("missing/x.json", "create the folder")
	if strings.Contains(server.err.String(), "listening") {
		t.Errorf("the server has listened: %s", server.err)
	}
}

// TestReadyFileHoldsThePort and is gone at the end.
func TestReadyFileHoldsThePort(t *testing.T) {
	p := newPlace(t)
	server, port := p.serve("ib_send_lat")
	server.says("listening on port " + port + "\n")
	p.connect("ib_send_lat", port, "-d", "shm_whole", "-n", "10").ends(statusDone, patience)
	server.ends(statusDone, patience)
	if _, err := os.Stat(filepath.Join(p.dir, readyName)); err == nil {
		t.Error("the ready file is left")
	}
}

// TestWrongDataIsInTheResultFile: what checking found is kept as well.
func TestWrongDataIsInTheResultFile(t *testing.T) {
	p := newPlace(t, "*.json")
	p.torn("ib_write_lat", "-d shm_unordered --force-data --out_json_file client.json", 4096)
	data, err := os.ReadFile(filepath.Join(p.dir, "client.json"))
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
		t.Errorf("rows %+v", f.Rows)
	}
	var forced bool
	for _, w := range f.Warnings {
		forced = forced || w.ID == "forced-data"
	}
	if !forced {
		t.Errorf("no warning that data mode was forced: %+v", f.Warnings)
	}
	if f := p.readResult("client.json"); f.Parameters.ForceData != true {
		t.Errorf("parameters %+v", f.Parameters)
	}
}
