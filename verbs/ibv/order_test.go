//go:build linux && cgo

package ibv

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// expectEnv is the variable with the promise and the flags that a child process of
// TestOrderByAgeOfTheLibrary expects: "whole message, IBV_QUERY_..._RETURN_CAPS".
const expectEnv = "IBPERF_TEST_EXPECT_ORDER"

// TestOrder asks for the data order. TestOrderByAgeOfTheLibrary runs it in prepared
// environments, in which it checks the answers.
func TestOrder(t *testing.T) {
	r := newTwoQPs(t, verbs.QPTypeRC)
	r.connect()
	answer, flags, expected := strings.Cut(os.Getenv(expectEnv), ", ")
	for _, op := range []verbs.Opcode{verbs.OpSend, verbs.OpRDMAWrite, verbs.OpRDMARead} {
		order, call, err := verbs.AskOrder(r.qps[0], op)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s answered %q", call, order)
		if expected && (order.String() != answer || !strings.HasSuffix(call, ", "+flags+")")) {
			t.Errorf("%s answered %q, want %s by flags %s", call, order, answer, flags)
		}
	}
}

// TestOrderByAgeOfTheLibrary asks libraries of several versions: a preloaded library, whose
// file name has the version, answers in place of the device.
func TestOrderByAgeOfTheLibrary(t *testing.T) {
	testDevice(t)
	const caps = "IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS"
	for _, c := range []struct{ name, file, answer, want string }{
		{"44, whole", "libibverbs.so.1.14.44.0", "3", "whole message, 0"},
		{"44, blocks", "libibverbs.so.1.14.44.0", "2", "not promised, 0"}, // it cannot say so
		{"46, whole", "libibverbs.so.1.14.46.0", "3", "whole message, " + caps},
		{"46, blocks", "libibverbs.so.1.14.46.0", "2", "aligned 128-byte blocks, " + caps},
		{"46, nothing", "libibverbs.so.1.14.46.0", "0", "not promised, " + caps},
		{"60, blocks", "libibverbs.so.1.15.60.0", "2", "aligned 128-byte blocks, " + caps},
		{"another name", "libshim.so", "3", "whole message, " + caps},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), c.file)
			compilePreload(t, file)
			askAgain(t, c.want, "LD_PRELOAD="+file, "ORDER_ANSWER="+c.answer)
		})
	}
	t.Run("no such call", func(t *testing.T) {
		dir := t.TempDir()
		libraryWithout(t, "ibv_query_qp_data_in_order", filepath.Join(dir, "libibverbs.so.1"))
		askAgain(t, "unknown, "+caps, "LD_LIBRARY_PATH="+dir)
	})
}

// askAgain runs TestOrder in another environment.
func askAgain(t *testing.T, want string, env ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestOrder$", "-test.v", "-test.timeout", "2m", "-device", *deviceName)
	cmd.Env = append(append(os.Environ(), expectEnv+"="+want), env...)
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(out, []byte(" answered ")) != 3 {
		t.Errorf("%v: %v\n%s", env, err, out)
	}
}

func compilePreload(t *testing.T, file string) {
	t.Helper()
	source := filepath.Join("..", "..", "test", "preload", "order.c")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", file, source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
}

// libraryWithout copies libibverbs and overwrites the name of a function, so that dlsym(3)
// does not find it, as in a library that is older than the function.
func libraryWithout(t *testing.T, function, file string) {
	t.Helper()
	if err := load(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(libraryFile())
	if err != nil {
		t.Fatal(err)
	}
	name := append([]byte(function), 0)
	if bytes.Count(data, name) == 0 {
		t.Fatalf("%s does not name %s", libraryFile(), function)
	}
	spoiled := bytes.ReplaceAll(data, name, append([]byte(strings.Repeat("x", len(function))), 0))
	if err := os.WriteFile(file, spoiled, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestFlagsNewerThanTheLibraryAreRefused: a library is not asked with flags that it would
// pass to a driver which does not know them.
func TestFlagsNewerThanTheLibraryAreRefused(t *testing.T) {
	r := newTwoQPs(t, verbs.QPTypeRC)
	version := versionOf(libraryFile())
	for flags, since := range map[verbs.OrderFlags]int{0: 0, verbs.OrderReturnCaps: knowsReturnCaps, verbs.OrderDeviceOnly: knowsDeviceOnly} {
		_, err := r.qps[0].QueryDataInOrder(verbs.OpSend, flags)
		if refused := errors.Is(err, syscall.EINVAL); refused != (version < since) {
			t.Errorf("rdma-core %d, flags %#x: %v", version, uint32(flags), err)
		}
	}
}
