//go:build linux && cgo

package ibv

import (
	"os"
	"os/exec"
	"testing"
)

// TestABIAgreesWithTheHeaders compiles a file of assertions, where the headers of
// libibverbs and librdmacm are installed.
func TestABIAgreesWithTheHeaders(t *testing.T) {
	for _, header := range []string{"/usr/include/infiniband/verbs.h", "/usr/include/rdma/rdma_cma.h"} {
		if _, err := os.Stat(header); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing: install libibverbs-dev and librdmacm-dev", header)
		}
		t.Skipf("%s is not installed", header)
	}
	if out, err := exec.Command("gcc", "-fsyntax-only", "testdata/abi.c").CombinedOutput(); err != nil {
		t.Errorf("gcc: %v\n%s", err, out)
	}
}
