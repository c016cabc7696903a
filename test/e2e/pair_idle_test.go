package e2e

import (
	"os"
	"testing"

	"github.com/ibperf/ibperf/result"
)

// TestLatencyOfIdleStates: --cpu-dma-latency limits the exit latency of idle states during the run, which
// the result file and the text tell; without permission the program ends.
func TestLatencyOfIdleStates(t *testing.T) {
	const device = "/dev/cpu_dma_latency"
	w := newWorkspace(t, "*.json")
	limit, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		client := w.start("ib_send_lat", "127.0.0.1", "--cpu-dma-latency", "0")
		client.exits(statusDevice, patience)
		client.wantStderr("--cpu-dma-latency: open " + device)
		return
	}
	limit.Close()
	server, client := w.startPair("ib_send_lat", "--cpu-dma-latency 0", "-d shm_whole -e -n 600 --details --out_json_file client.json")
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	f := w.readResult("client.json")
	idle := f.Peer.Idle
	if f.Local.Idle == nil || f.Local.Idle.Driver == result.NoIdleDriver {
		t.Skip("the kernel has no cpuidle driver")
	}
	if idle == nil || idle.LimitNs == nil || *idle.LimitNs != 0 {
		t.Errorf("idle states of the server: %+v", idle)
	}
	client.wantStdout("limited to 0 usec by " + device)
}
