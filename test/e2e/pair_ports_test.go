package e2e

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/test/stub"
)

// TestTwoPorts runs QPs on either port of a device with two; result files, errors and ib_caps name the
// port.
func TestTwoPorts(t *testing.T) {
	env := append(stub.Env(t), "STUB_PORTS=2")
	at := func(t *testing.T, keep ...string) *workspace {
		w := newWorkspace(t, keep...)
		w.env = slices.Clone(env)
		return w
	}
	for _, c := range []struct {
		program, options string
		server, client   int
	}{
		{"ib_write_lat", "-s 64 -n 100 --verify --completion data", 2, 2},
		{"ib_send_bw", "-s 64 -n 100 --verify -b -c UD", 1, 2},
		{"ib_read_bw", "-s 64 -n 100 --verify -c XRC", 2, 1},
	} {
		t.Run(c.program, func(t *testing.T) {
			w := at(t, "*.json")
			port := []string{"", "-i 1", "-i 2"}
			w.runPair(statusDone, c.program, "-d stub0 "+port[c.server], "-d stub0 "+port[c.client]+" --out_json_file client.json "+c.options)
			f := w.readResult("client.json")
			if f.Local.Device.Port != c.client || f.Peer.Device.Port != c.server || f.Local.Device.GID[len(f.Local.Device.GID)-1] != byte('0'+c.client) {
				t.Errorf("device of this side %+v, of the peer %+v", f.Local.Device, f.Peer.Device)
			}
			if v := f.Rows[0].Verify; v == nil || v.Messages == 0 || v.Bad() > 0 {
				t.Errorf("--verify found %+v", v)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		w := at(t)
		client := w.start("ib_write_bw", "-d", "stub0", "-i", "3", loopback)
		client.exits(statusDevice, patience)
		client.wantStderr("device stub0 has no port 3: its last is 2")
	})
	t.Run("ib_caps", func(t *testing.T) {
		caps := at(t).start("ib_caps", "-d", "stub0")
		caps.exits(statusDone, patience)
		caps.wantStdout("port 2\n")
		caps.wantStdout("fe80:0000:0000:0000:0000:0000:0000:0002, RoCE v2")
	})
}
