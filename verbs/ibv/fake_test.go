//go:build linux && cgo

package ibv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// fakeEnv tells TestFakeDevice that the libraries are those of testdata/fake.c.
const fakeEnv = "IBPERF_TEST_FAKE"

// TestFakeDevice is run by others of this file, in a process that finds the fake
// libraries. It prints what this package makes of their device.
func TestFakeDevice(t *testing.T) {
	if os.Getenv(fakeEnv) == "" {
		t.Skip("run by other tests, with libraries of theirs")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d, err := backend{}.Lookup("fake0")
	must(err)
	ctx, err := d.Open()
	must(err)
	port, err := ctx.QueryPort(1)
	must(err)
	fmt.Printf("speed %d\n", port.ActiveSpeed)
	pd, err := ctx.AllocPD()
	must(err)
	cq, err := ctx.CreateCQ(1, nil, 0)
	must(err)
	for _, c := range []struct {
		kind verbs.QPType
		sges int
		no   bool
	}{{verbs.QPTypeRC, 1, false}, {verbs.QPTypeRC, 1, true}, {verbs.QPTypeRC, 4, true}, {verbs.QPTypeUC, 1, true}} {
		init := verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, Type: c.kind, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvSGE: c.sges},
			NoScatterToCQE: c.no, MaxScatterToCQE: 9}
		qp, err := pd.CreateQP(&init)
		must(err)
		fmt.Printf("%s %d %v: qp %#x holds %d, %d sends\n", c.kind, c.sges, c.no, qp.QPNum(), init.MaxScatterToCQE, init.Cap.MaxSendWR)
		must(qp.Close())
	}
	must(ctx.Close())
}

// fakes returns a folder with the fake libraries.
func fakes(t *testing.T) string {
	t.Helper()
	withoutDevice(t)
	dir := t.TempDir()
	build := []string{"-Wall", "-Wextra", "-shared", "-fPIC", "-o"}
	gcc(t, append(build, filepath.Join(dir, "libibverbs.so.1"), "testdata/fake.c", "testdata/absent.c")...)
	gcc(t, append(build, filepath.Join(dir, "libmlx5.so.1"), "-DMLX5", "testdata/fake.c")...)
	return dir
}

// withFakes runs TestFakeDevice with the fake libraries and returns what it prints.
func withFakes(t *testing.T, dir string, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestFakeDevice$", "-test.v", "-test.timeout", "1m")
	cmd.Env = append(os.Environ(), fakeEnv+"=1", "LD_LIBRARY_PATH="+dir)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	return string(out)
}

// TestSpeedOfBothMembers: libraries from rdma-core 49 on have speeds beyond a byte, and
// tell the others in both members or in the older one alone.
func TestSpeedOfBothMembers(t *testing.T) {
	dir := fakes(t)
	for want, env := range map[string][]string{
		"speed 32\n":   {"FAKE_SPEED=32"},
		"speed 64\n":   {"FAKE_SPEED=64", "FAKE_SPEED_EX=0"},
		"speed 128\n":  {"FAKE_SPEED=128", "FAKE_SPEED_EX=128"},
		"speed 256\n":  {"FAKE_SPEED=128", "FAKE_SPEED_EX=256"}, // XDR, which the kernel gives the older member as NDR
		"speed 1024\n": {"FAKE_SPEED=0", "FAKE_SPEED_EX=1024"},
	} {
		if out := withFakes(t, dir, env...); !strings.Contains(out, want) {
			t.Errorf("%v: no %q in:\n%s", env, want, out)
		}
	}
}

// TestScatterToCQE: only who asks for it has QPs without, of mlx5; of other devices it is
// told what they hold back.
func TestScatterToCQE(t *testing.T) {
	dir := fakes(t)
	plain := []string{"RC 1 false: qp 0x1 holds 0, 64 sends", "RC 1 true: qp 0x1 holds 0, 64", "RC 4 true: qp 0x1 holds 0, 64", "UC 1 true: qp 0x1 holds 0, 64"}
	for _, c := range []struct {
		device string
		env    []string
		want   []string
	}{
		{"rxe", nil, plain},
		{"mlx5", []string{"FAKE_MLX5=1", "FAKE_VENDOR=0x2c9"}, []string{
			"RC 1 false: qp 0x1 holds 0, 64 sends", "RC 1 true: qp 0x508 holds 0, 64 sends",
			"RC 4 true: qp 0x508 holds 0, 64 sends", "UC 1 true: qp 0x508 holds 0, 64 sends"}},
		{"mlx4", []string{"FAKE_VENDOR=0x2c9"}, plain},
		{"hns", []string{"FAKE_VENDOR=0x19e5"}, []string{
			"RC 1 false: qp 0x1 holds 0,", "RC 1 true: qp 0x1 holds 32,", "RC 4 true: qp 0x1 holds 128,", "UC 1 true: qp 0x1 holds 0,"}},
	} {
		out := withFakes(t, dir, c.env...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in:\n%s", c.device, want, out)
			}
		}
	}
}
