//go:build linux && cgo

package ibv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestABIAgreesWithTheHeaders compiles a file of assertions, where the headers of
// libibverbs and librdmacm are installed.
func TestABIAgreesWithTheHeaders(t *testing.T) {
	needHeaders(t)
	gcc(t, "-fsyntax-only", "testdata/abi.c")
}

// TestOperationsAreThoseOfTheHeader runs a program that calls both this package's
// forms of libibverbs' inline functions and the header's. No device is needed.
func TestOperationsAreThoseOfTheHeader(t *testing.T) {
	needHeaders(t)
	program := filepath.Join(t.TempDir(), "operations")
	gcc(t, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-o", program, "testdata/operations.c", "library.c", "-libverbs", "-ldl")
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func needHeaders(t *testing.T) {
	t.Helper()
	for _, header := range []string{"/usr/include/infiniband/verbs.h", "/usr/include/rdma/rdma_cma.h"} {
		if _, err := os.Stat(header); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing: install libibverbs-dev and librdmacm-dev", header)
		}
		t.Skipf("%s is not installed", header)
	}
}

func gcc(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
}
