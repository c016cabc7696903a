package e2e

import (
	"strings"
	"testing"
)

// TestDeviceTwo measures the device and a second one at the same time, which it adds on a link of its own. The server names none.
func TestDeviceTwo(t *testing.T) {
	w, _ := onDevice(t, "*.json")
	const second, link = "rxe9", "rx9"
	linkOf(t) // skips the test on links that tests may not change
	t.Cleanup(func() { ip(t, "link", "delete", link) })
	ip(t, "link", "add", link, "type", "dummy")
	ip(t, "link", "set", link, "arp", "on", "multicast", "on")
	ip(t, "link", "set", link, "up")
	ip(t, "address", "add", "10.99.9.1/24", "dev", link)
	rdma(t, "link", "add", second, "type", "rxe", "netdev", link)
	for _, c := range []string{"ib_send_bw -s 4096 -n 100", "ib_write_lat -s 64 -n 100 --force-data", "ib_read_bw -s 4096 -n 100 --threads 2"} {
		program, options, _ := strings.Cut(c, " ")
		_, client := w.runPair(statusDone, program, "", "-d "+*deviceName+","+second+" --verify --out_json_file client.json "+options)
		f := w.readResult("client.json")
		if names := f.Local.DeviceNames() + " " + f.Peer.DeviceNames(); names != *deviceName+":1,rxe9:1 "+*deviceName+":1,rxe9:1" {
			t.Errorf("%s measured %s\n%s", program, names, client.output())
		}
		checkDevices(t, f)
	}
}
