package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/stub"
)

// TestTwoDevices measures two devices or ports of each side at the same time: text and result file have a row of each and one of
// both, and a server needs no options for that.
func TestTwoDevices(t *testing.T) {
	for _, c := range []struct {
		name, program, server, client, options string
		here, peer                             string
	}{
		{"ports", "ib_write_bw", "-d stub0:2,stub0:1", "-d stub0:1,stub0:2", "-s 4096 -n 500 --verify", "stub0:1,stub0:2", "stub0:2,stub0:1"},
		{"ports by latency", "ib_send_lat", "-d stub0:1,stub0:2", "-d stub0,stub0:2", "-s 64 -n 200 --verify --threads 2", "stub0:1,stub0:2", "stub0:1,stub0:2"},
		{"both directions", "ib_send_bw", "", "-d shm_whole,shm_block128", "-b -s 4096 -n 500 --verify -q 2", "shm_whole:1,shm_block128:1", "shm_whole:1,shm_block128:1"},
		{"fetches", "ib_read_bw", "", "-d shm_whole,shm_block128", "-s 4096 -n 500 --verify", "shm_whole:1,shm_block128:1", "shm_whole:1,shm_block128:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = append(slices.Clone(stub.Env(t)), "STUB_PORTS=2")
			_, client := w.runPair(statusDone, c.program, c.server+" --out_json_file server.json", c.client+" --out_json_file client.json "+c.options)
			for i, file := range []string{"client.json", "server.json"} {
				f := w.readResult(file)
				names := [2]string{f.Local.DeviceNames(), f.Peer.DeviceNames()}
				if want := [2]string{c.here, c.peer}; names != [2]string{want[i], want[1-i]} {
					t.Errorf("%s has the devices %q", file, names)
				}
				checkDevices(t, f)
			}
			lines := regexp.MustCompile(`(?m)^ \d+ .* (\S+)$`).FindAllStringSubmatch(client.out.String(), -1)
			if n := len(lines); n != 3 || lines[0][1]+","+lines[1][1] != c.here || lines[2][1] != "sum" && lines[2][1] != "all" {
				t.Errorf("the lines of rows are %q in\n%s", lines, client.out.String())
			}
		})
	}
}

// checkDevices checks that each device of a run with two has received messages and all bytes as they were sent, and that the row
// of both has all of them.
func checkDevices(t *testing.T, f *result.File) {
	t.Helper()
	r := &f.Rows[0]
	if len(r.Devices) != 2 {
		t.Fatalf("the row is %+v", r)
	}
	var checked uint64
	for _, d := range r.Devices {
		if d.Verify == nil || d.Verify.Messages == 0 || d.Verify.Bad() > 0 {
			t.Errorf("--verify found %+v", d.Verify)
			continue
		}
		checked += d.Verify.Messages
	}
	if checked != r.Verify.Messages {
		t.Errorf("%d messages of both were checked, of each together %d", r.Verify.Messages, checked)
	}
}

// TestTwoDevicesAreRefused ends both sides with status 2 where one side cannot measure several devices.
func TestTwoDevicesAreRefused(t *testing.T) {
	w := newWorkspace(t)
	server, client := w.runPair(statusUsage, "ib_write_bw", "-d shm_whole", "-d shm_whole,shm_block128")
	for _, p := range []*process{server, client} {
		p.wantStderr("the client measures 2 devices at the same time (shm_whole, shm_block128), and the server has 1 for them")
	}
	for _, c := range []struct{ program, options, want string }{
		{"ib_write_bw", "-d shm_whole,shm_whole", "shm_whole is there twice"},
		{"ib_write_bw", "-d shm_whole,shm_block128 --compare", "a comparison runs on one device"},
		{"ib_send_bw", "-d shm_whole,shm_block128 -R", "rdma_cm chooses one device"},
		{"ib_compare", "-d shm_whole,shm_block128", "only the tests"},
		{"ib_verify", "-d shm_whole,shm_block128", "only the tests"},
	} {
		p := w.start(c.program, append(strings.Fields(c.options), loopback)...)
		p.exits(statusUsage, patience)
		p.wantStderr(c.want)
	}
}
