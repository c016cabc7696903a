package machine

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/harness"
)

// opened reports whether this process has a file open.
func opened(t *testing.T, path string) bool {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(links) == 0 {
		t.Skip("needs /proc/self/fd")
	}
	for _, link := range links {
		if to, _ := os.Readlink(link); to == path {
			return true
		}
	}
	return false
}

// The limit is written in the kernel's form to a file that stays open until it is released.
func TestHoldLatency(t *testing.T) {
	for _, usec := range []int{0, 70} {
		path := filepath.Join(t.TempDir(), "cpu_dma_latency")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		release, err := HoldLatency(path, usec)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) != 4 || binary.NativeEndian.Uint32(data) != uint32(usec) || !opened(t, path) {
			t.Errorf("%d usec: %v, %v, open %v", usec, data, err, opened(t, path))
		}
		if release(); opened(t, path) {
			t.Errorf("%d usec: the file is still open", usec)
		}
	}
}

// Without the option nothing is opened. With it, a file that cannot be opened ends the program.
func TestLatencyThatCannotBeHeld(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	release, err := HoldLatency(missing, -1)
	if err != nil {
		t.Fatal(err)
	}
	release()
	_, err = HoldLatency(missing, 0)
	if !errors.As(err, new(*harness.DeviceError)) {
		t.Fatalf("%v is not the error of a device", err)
	}
	if text := err.Error(); !strings.Contains(text, "--cpu-dma-latency: open "+missing) || !strings.Contains(text, "root") || strings.Contains(text, "\n") {
		t.Errorf("the error is %s", text)
	}
}
