package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// TestDeviceKilled kills either side in each mode: the other side ends, and the kernel has no objects
// of either process.
func TestDeviceKilled(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_send_bw", "ib_read_bw"} {
		for _, mode := range deviceModes {
			for _, side := range sides {
				t.Run(program+" "+mode+" "+side, func(t *testing.T) {
					w, options := onDevice(t, readyName)
					server, client := w.startPair(program, "", options+" -D 60 --completion "+mode)
					server.awaitMeasurement()
					client.awaitMeasurement()
					victim, other := client, server
					if side == "server" {
						victim, other = server, client
					}
					victim.signal(sigKill)
					other.exits(statusPeer, patience)
					other.wantStderr("peer 127.0.0.1:")
					nothingLeft(t)
				})
			}
		}
	}
}

// TestDeviceInterrupted: the client writes its result file, and the server reports the reason.
func TestDeviceInterrupted(t *testing.T) {
	for _, program := range []string{"ib_send_lat", "ib_write_bw"} {
		for _, mode := range deviceModes {
			t.Run(program+" "+mode, func(t *testing.T) {
				w, options := onDevice(t, "*.json")
				server, client := w.startPair(program, "", options+" -D 60 --out_json_file client.json --completion "+mode)
				server.awaitMeasurement()
				client.awaitMeasurement()
				client.signal(sigInt)
				client.exits(statusOther, stopLimit+deviceGrace)
				server.exits(statusPeer, lossLimit+deviceGrace)
				client.wantStderr("interrupted by SIGINT")
				server.wantStderr("ended the run: interrupted by SIGINT")
				if f := w.readResult("client.json"); !f.Interrupted {
					t.Error("the result file is not marked interrupted")
				}
				nothingLeft(t)
			})
		}
	}
}

// deviceGrace is added to limits for an emulated machine.
const deviceGrace = 5 * time.Second

// nothingLeft checks that no process has a QP, CQ, MR, PD or cm_id on the device. The kernel's own
// have PID 0.
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
				t.Errorf("process %d, %s, has a %s left", r.PID, r.Comm, kind)
			}
		}
	}
}

// TestDevicePortGoesDown sets the link down during a run: both sides end, and one names the port.
// test/guest/items runs it and TestDeviceUnplugged last.
func TestDevicePortGoesDown(t *testing.T) {
	for _, mode := range deviceModes {
		t.Run(mode, func(t *testing.T) {
			w, options := onDevice(t, "*.json")
			link := linkOf(t)
			server, client := w.startPair("ib_write_lat", "", options+" -D 60 --out_json_file client.json --completion "+mode)
			server.awaitMeasurement()
			client.awaitMeasurement()
			ip(t, "link", "set", link, "down")
			defer func() {
				ip(t, "link", "set", link, "up")
				if err := waitUntil(patience, activePort); err != nil {
					t.Errorf("the port is not active again: %v", err)
				}
			}()
			endForTheDevice(t, server, client)
			if n := server.count("port 1 of "+*deviceName) + client.count("port 1 of "+*deviceName); n == 0 {
				t.Errorf("neither side names the port\n%s", server.output())
			}
			if f := w.readResult("client.json"); f.Error == "" {
				t.Error("the result file has no error")
			}
			nothingLeft(t)
		})
	}
}

// TestDeviceUnplugged removes the device during a run: both sides end, and one names the device.
func TestDeviceUnplugged(t *testing.T) {
	for _, mode := range deviceModes {
		t.Run(mode, func(t *testing.T) {
			w, options := onDevice(t, "*.json")
			link := linkOf(t)
			server, client := w.startPair("ib_send_bw", "", options+" -D 60 --out_json_file client.json --completion "+mode)
			server.awaitMeasurement()
			client.awaitMeasurement()
			rdma(t, "link", "delete", *deviceName)
			defer func() {
				rdma(t, "link", "add", *deviceName, "type", "rxe", "netdev", link)
				if err := waitUntil(patience, activePort); err != nil {
					t.Errorf("the device is not active again: %v", err)
				}
			}()
			endForTheDevice(t, server, client)
			if n := server.count(*deviceName) + client.count(*deviceName); n == 0 {
				t.Errorf("neither side names the device\n%s", server.output())
			}
			if f := w.readResult("client.json"); f.Error == "" {
				t.Error("the result file has no error")
			}
		})
	}
}

// endForTheDevice checks that each side ends because of its own device or of the peer's.
func endForTheDevice(t *testing.T, sides ...*process) {
	t.Helper()
	for _, side := range sides {
		if got := side.wait(patience); got != statusDevice && got != statusPeer {
			t.Errorf("%s ended with status %d\n%s", side.name, got, side.output())
		}
	}
}

// linkOf returns the network interface of the device. It skips the test unless that is a dummy link,
// which a test may set down.
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
		t.Skipf("%s is not a dummy link: tests do not set it down", links[0].Netdev)
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
