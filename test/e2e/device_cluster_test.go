package e2e

import "testing"

// TestDeviceCluster tests the pairs of four ranks that share the device. A guest with emulated CPUs shows no finer effects, so the
// verdicts are not looked at.
func TestDeviceCluster(t *testing.T) {
	w, options := onDevice(t, "out")
	ranks := w.startCluster(4, []int{0, 1, 2, 3}, options+" --connect-timeout 60", nil)
	root := ranks[0]
	if status := root.wait(clusterLimit); status != statusDone && status != statusLimit {
		t.Fatalf("status %d\n%s", status, root.output())
	}
	for rank := 1; rank < 4; rank++ {
		ranks[rank].exits(statusDone, patience)
	}
	r := w.readCluster()
	for _, n := range r.Nodes {
		if n.Device != *deviceName {
			t.Errorf("rank %d tested %q", n.Rank, n.Device)
		}
	}
	for _, test := range r.Tests {
		if test.Error != "" {
			t.Errorf("ranks %d and %d: %s", test.A, test.B, test.Error)
		}
	}
	if n := measuredPairs(r.Tests); n != 6 {
		t.Errorf("%d pairs, want 6", n)
	}
}
