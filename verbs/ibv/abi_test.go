//go:build linux && cgo

package ibv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// releases are the Debian releases whose headers abi.h is compared with. Their last versions
// of rdma-core are 33, 44, 56 and 65.
var releases = []string{"bullseye", "bookworm", "trixie", "sid"}

// newer are the members that some of these releases lack.
var newer = []string{"active_speed_ex", "phys_port_cnt_ex", "EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE", "ooo_recv_wrs_caps", "ibv_dmah_init_attr"}

// TestABIAgreesWithTheHeaders compiles a file of assertions against the headers of
// libibverbs, libmlx5, libefa and librdmacm.
func TestABIAgreesWithTheHeaders(t *testing.T) {
	t.Parallel()
	eachHeaders(t, func(t *testing.T, include string) {
		var headers []byte
		for _, name := range []string{"verbs.h", "efadv.h", "mlx5dv.h"} {
			text, err := os.ReadFile(filepath.Join(include, "infiniband", name))
			if err != nil {
				t.Fatal(err)
			}
			headers = append(headers, text...)
		}
		args := []string{"-fsyntax-only", "-isystem", include, "testdata/abi.c"}
		for _, member := range newer {
			if bytes.Contains(headers, []byte(member)) {
				args = append(args, "-DHAS_"+member)
			}
		}
		gcc(t, args...)
	})
}

// TestOperationsAreThoseOfTheHeader runs a program that calls both this package's
// forms of libibverbs' inline functions and the header's. No device is needed.
func TestOperationsAreThoseOfTheHeader(t *testing.T) {
	t.Parallel()
	needHeaders(t)
	eachHeaders(t, func(t *testing.T, include string) {
		program := filepath.Join(t.TempDir(), "operations")
		gcc(t, "-D_GNU_SOURCE", "-Wall", "-Wextra", "-o", program, "-isystem", include, "testdata/operations.c", "library.c", "-libverbs", "-ldl")
		if out, err := exec.Command(program).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// eachHeaders runs a test with the installed headers, and with those of each release that are
// in the user's cache or can be downloaded.
func eachHeaders(t *testing.T, test func(t *testing.T, include string)) {
	t.Run("installed", func(t *testing.T) {
		needHeaders(t)
		test(t, "/usr/include")
	})
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			withoutDevice(t)
			cmd := exec.Command("../../test/debian", release, "rdma", "libibverbs-dev", "librdmacm-dev")
			var problem strings.Builder
			cmd.Stderr = &problem
			folder, err := cmd.Output()
			switch {
			case err == nil:
				test(t, filepath.Join(strings.TrimSpace(string(folder)), "usr", "include"))
			case os.Getenv("CI") != "":
				t.Fatalf("no headers of %s: %v\n%s", release, err, problem.String())
			default:
				t.Skipf("no headers of %s: %v", release, err)
			}
		})
	}
}

// withoutDevice skips a test that does not use the device under test.
func withoutDevice(t *testing.T) {
	t.Helper()
	if *deviceName != "" {
		t.Skip("it is about no device: run without -device")
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
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
}
