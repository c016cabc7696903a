package e2e

import (
	"fmt"
	"testing"

	"github.com/ibperf/ibperf/test/stub"
)

// wantPairs compares the modes of WRITE on a fabric that routes adaptively, and checks that all rows have the
// same two requests for each message, and that each byte arrived.
func wantPairs(t *testing.T, w *workspace, program, options string, want []string) {
	t.Helper()
	for _, size := range []int{100, 4097} {
		_, client := w.runPair(statusDone, program, "", fmt.Sprintf(
			"%s --adaptive-routing yes --compare --runs 2 --rounds 1 --verify -n 30 -s %d --out_json_file client.json", options, size))
		client.wantRows(layoutOf(program), []int{size}, want)
		client.wantStdout(" Adaptive routing: yes\n")
		f := w.readResult("client.json")
		for _, r := range f.Rows {
			if v := r.Verify; r.Opcode != "RDMA_WRITE+RDMA_WRITE_WITH_IMM" || v == nil || v.Messages == 0 || v.Bad() != 0 {
				t.Errorf("%s, %d bytes, %s: opcode %s, --verify found %+v", program, size, r.Name(), r.Opcode, r.Verify)
			}
		}
		if f.Parameters.Routing != "yes" {
			t.Errorf("%s: the file says that routing is %q", program, f.Parameters.Routing)
		}
	}
}

// TestAdaptiveRoutingThroughLibibverbs runs [wantPairs] on the stub of libibverbs.
func TestAdaptiveRoutingThroughLibibverbs(t *testing.T) {
	env := append(stub.Env(t), "STUB_ORDER=1")
	for _, program := range []string{"ib_write_lat", "ib_write_bw"} {
		w := newWorkspace(t, "*.json")
		w.env = env
		wantPairs(t, w, program, "-d stub0", compared)
	}
}

// TestDeviceAdaptiveRouting runs [wantPairs] on the RDMA device.
func TestDeviceAdaptiveRouting(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_write_bw"} {
		w, options := onDevice(t, "*.json")
		wantPairs(t, w, program, options, deviceCompared)
	}
}
