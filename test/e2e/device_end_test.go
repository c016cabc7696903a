package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// TestDeviceKilled: whichever side dies in whichever mode, the other one notices
// and ends, and the kernel has nothing left of either.
func TestDeviceKilled(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_send_bw", "ib_read_bw"} {
		for _, mode := range deviceModes {
			for _, who := range []string{"client", "server"} {
				t.Run(program+" "+mode+" "+who, func(t *testing.T) {
					p, options := onDevice(t, readyName)
					server, client := p.both(program, "", options+" -D 60 --completion "+mode)
					server.runs()
					client.runs()
					victim, other := client, server
					if who == "server" {
						victim, other = server, client
					}
					victim.signal(sigKill)
					other.ends(statusPeer, patience)
					other.says("peer 127.0.0.1:")
					nothingLeft(t)
				})
			}
		}
	}
}

// TestDeviceInterrupted: the record is kept, and the peer is told.
func TestDeviceInterrupted(t *testing.T) {
	for _, program := range []string{"ib_send_lat", "ib_write_bw"} {
		for _, mode := range deviceModes {
			t.Run(program+" "+mode, func(t *testing.T) {
				p, options := onDevice(t, "*.json")
				server, client := p.both(program, "", options+" -D 60 --out_json_file client.json --completion "+mode)
				server.runs()
				client.runs()
				client.signal(sigInt)
				client.ends(statusOther, stopLimit+deviceGrace)
				server.ends(statusPeer, lossLimit+deviceGrace)
				client.says("interrupted by SIGINT")
				server.says("ended the run: interrupted by SIGINT")
				if f := p.readResult("client.json"); !f.Interrupted {
					t.Error("the record is not marked interrupted")
				}
				nothingLeft(t)
			})
		}
	}
}

// deviceGrace is what an emulated machine may need on top.
const deviceGrace = 5 * time.Second

// nothingLeft checks that no process has a QP, CQ, MR or PD on the device; the
// kernel's own have no process.
func nothingLeft(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"qp", "cq", "mr", "pd", "cm_id"} {
		out, err := exec.Command("rdma", "-j", "resource", "show", kind).Output()
		if err != nil {
			t.Fatalf("rdma resource show %s: %v", kind, err)
		}
		var list []struct {
			PID  int    `json:"pid"`
			Comm string `json:"comm"`
		}
		if len(out) > 0 {
			if err := json.Unmarshal(out, &list); err != nil {
				t.Fatalf("rdma resource show %s: %v in %s", kind, err, out)
			}
		}
		for _, r := range list {
			if r.PID != 0 {
				t.Errorf("process %d, %s, has left a %s", r.PID, r.Comm, kind)
			}
		}
	}
}

// TestDevicePortGoesDown and the device's end come last: see the order of names in
// the guest's list of items.
func TestDevicePortGoesDown(t *testing.T) {
	for _, mode := range deviceModes {
		t.Run(mode, func(t *testing.T) {
			p, options := onDevice(t, "*.json")
			link := linkOf(t)
			server, client := p.both("ib_write_lat", "", options+" -D 60 --out_json_file client.json --completion "+mode)
			server.runs()
			client.runs()
			ip(t, "link", "set", link, "down")
			defer func() {
				ip(t, "link", "set", link, "up")
				if err := until(patience, activePort); err != nil {
					t.Errorf("the port does not come back: %v", err)
				}
			}()
			endForTheDevice(t, server, client)
			if n := server.count("port 1 of "+*deviceName) + client.count("port 1 of "+*deviceName); n == 0 {
				t.Errorf("nobody names the port\n%s", server.said())
			}
			if f := p.readResult("client.json"); f.Error == "" {
				t.Error("the record has no error")
			}
			nothingLeft(t)
		})
	}
}

// TestDeviceUnplugged: both sides end when the device is taken away, and say so.
func TestDeviceUnplugged(t *testing.T) {
	for _, mode := range deviceModes {
		t.Run(mode, func(t *testing.T) {
			p, options := onDevice(t, "*.json")
			link := linkOf(t)
			server, client := p.both("ib_send_bw", "", options+" -D 60 --out_json_file client.json --completion "+mode)
			server.runs()
			client.runs()
			rdma(t, "link", "delete", *deviceName)
			defer func() {
				rdma(t, "link", "add", *deviceName, "type", "rxe", "netdev", link)
				if err := until(patience, activePort); err != nil {
					t.Errorf("the device does not come back: %v", err)
				}
			}()
			endForTheDevice(t, server, client)
			if n := server.count(*deviceName) + client.count(*deviceName); n == 0 {
				t.Errorf("nobody names the device\n%s", server.said())
			}
			if f := p.readResult("client.json"); f.Error == "" {
				t.Error("the record has no error")
			}
		})
	}
}

// endForTheDevice checks that each side ends because of the device, its own or the
// peer's.
func endForTheDevice(t *testing.T, sides ...*process) {
	t.Helper()
	for _, side := range sides {
		if got := side.within(patience); got != statusDevice && got != statusPeer {
			t.Errorf("%s ended with status %d\n%s", side.name, got, side.said())
		}
	}
}

// linkOf returns the network interface below the device, where that is for the
// tests to switch off: a dummy link.
func linkOf(t *testing.T) string {
	t.Helper()
	var links []struct {
		Netdev string `json:"netdev"`
	}
	out, err := exec.Command("rdma", "-j", "link", "show", *deviceName+"/1").Output()
	if err == nil {
		err = json.Unmarshal(out, &links)
	}
	if err != nil || len(links) != 1 {
		t.Fatalf("rdma link show: %v: %s", err, out)
	}
	if err := exec.Command("sh", "-c", fmt.Sprintf("ip -d link show %s | grep -qw dummy", links[0].Netdev)).Run(); err != nil {
		t.Skipf("%s is no dummy link, and not for tests to switch off", links[0].Netdev)
	}
	return links[0].Netdev
}

func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %v: %v\n%s", args, err, out)
	}
}

func rdma(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("rdma", args...).CombinedOutput(); err != nil {
		t.Fatalf("rdma %v: %v\n%s", args, err, out)
	}
}

func activePort() bool {
	return exec.Command("sh", "-c", "rdma link show "+*deviceName+"/1 | grep -q 'state ACTIVE'").Run() == nil
}
