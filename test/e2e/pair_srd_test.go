package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/stub"
)

// efa holds variables that make stub0 an EFA device with READ and WRITE. It promises the order of
// blocks, and one in every three requests is overtaken.
var efa = []string{"STUB_EFA=10", "STUB_ORDER=2", "STUB_OVERTAKE=3"}

// srdRuns are command lines over SRD that TestTransportsThroughLibibverbs does not have: without
// --verify, in both directions, and with a default size, which is cut to the longest message of SRD.
var srdRuns = []struct {
	program, options string
	size             int
}{
	{"ib_send_bw", "-b -n 100", 8192},
	{"ib_send_bw", "-s 1000 -l 8 -n 100 --send_with_imm", 1000},
	{"ib_write_bw", "-s 1000 -b -q 2 -n 500 --completion data --verify", 1000},
	{"ib_write_bw", "-s 64 -D 0.05 --write_with_imm", 64},
	{"ib_read_bw", "-s 1000 -b -D 0.05", 1000},
	{"ib_write_lat", "-s 1000 -q 2 -n 100 --completion data --verify", 1000},
}

// TestMessagesOverSRD runs [srdRuns]: messages have the size, and none is lost or corrupted.
func TestMessagesOverSRD(t *testing.T) {
	env := append(stub.Env(t), efa...)
	for _, c := range srdRuns {
		t.Run(c.program+" "+c.options, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = env
			w.runPair(statusDone, c.program, "", "-d stub0 -c SRD --out_json_file client.json "+c.options)
			for _, r := range w.readResult("client.json").Rows {
				if r.Size != c.size || r.Verify != nil && r.Verify.Bad() > 0 || r.Delivery != nil {
					t.Errorf("row of %d bytes, want %d; --verify found %+v; delivery %+v", r.Size, c.size, r.Verify, r.Delivery)
				}
			}
		})
	}
}

// TestDatagramsOfEFA: UD runs on an EFA device, whose port has neither a link layer nor a LID, which
// registers memory for the operations that it has, and which refuses requests that are not signaled.
func TestDatagramsOfEFA(t *testing.T) {
	for _, c := range []struct{ program, options string }{
		{"ib_send_bw", "-s 1000 -n 500"}, {"ib_send_bw", "-s 1000 -b -l 4 -n 500"}, {"ib_send_lat", "-s 64 -n 100"},
	} {
		t.Run(c.program+" "+c.options, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = append(stub.Env(t), "STUB_EFA=1")
			w.runPair(statusDone, c.program, "", "-d stub0 -c UD --verify --out_json_file client.json "+c.options)
			f := w.readResult("client.json")
			if f.Local.Device.GIDIndex != 0 || f.Peer.Device.GIDIndex != 0 {
				t.Errorf("GID indexes %d and %d, want 0", f.Local.Device.GIDIndex, f.Peer.Device.GIDIndex)
			}
			for _, r := range f.Rows {
				if r.Verify == nil || r.Verify.Messages == 0 || r.Verify.Bad() > 0 || r.Delivery == nil || r.Delivery.Lost > 0 {
					t.Errorf("--verify found %+v; delivery %+v", r.Verify, r.Delivery)
				}
			}
		})
	}
}

// TestRefusedOverSRD: the error names what the device lacks.
func TestRefusedOverSRD(t *testing.T) {
	env := stub.Env(t)
	for _, c := range []struct {
		program, options string
		status           int
		env              []string
		want             []string
	}{
		{"ib_send_bw", "-c SRD -s 16384", statusDevice, efa, []string{"--size 16384: over SRD a message has at most 8928 bytes"}},
		{"ib_read_bw", "-c SRD -s 16M", statusDevice, efa, []string{"--size 16777216: over SRD a WRITE or READ of device stub0 has 8388608 bytes at most"}},
		{"ib_write_bw", "", statusDevice, efa, []string{"device stub0 has no RC, try -c SRD"}},
		{"ib_write_bw", "", statusDevice, []string{"STUB_EFA=1"}, []string{"device stub0 has no RC, try -c SRD"}},
		{"ib_write_bw", "-c SRD", statusDevice, []string{"STUB_EFA=1"}, []string{"LOCAL_WRITE|REMOTE_WRITE", "some have no WRITE, or READ"}},
		{"ib_write_bw", "-c SRD", statusDevice, nil, []string{"SRD is a transport of EFA devices"}},
		{"ib_write_bw", "-c SRD --completion data", statusRefused, []string{"STUB_EFA=10", "STUB_ORDER=0"}, []string{"not promised"}},
	} {
		t.Run(c.program+" "+c.options+" "+strings.Join(c.env, " "), func(t *testing.T) {
			w := newWorkspace(t)
			w.env = append(slices.Clone(env), c.env...)
			server, client := w.startPair(c.program, "", "-d stub0 -n 100 "+c.options)
			here, there := client.wait(patience), server.wait(patience)
			if here != c.status && there != c.status { // the first side to find it ends the other's run
				t.Fatalf("the client ended with status %d, the server with %d, want %d\n%s", here, there, c.status, client.output())
			}
			client.wantStderr(c.want...)
		})
	}
}
