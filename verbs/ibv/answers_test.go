//go:build linux && cgo

package ibv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// TestAnswersOfTheStub prints attributes of the stub as this package returns them. Other tests
// of this file run it, on several kinds of stub.
func TestAnswersOfTheStub(t *testing.T) {
	if *deviceName != stub {
		t.Skip("run by other tests, with -device " + stub)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := stubContext(t)
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
		fmt.Printf("%s %d %v: flags %d, holds %d, %d sends\n", c.kind, c.sges, c.no, qp.QPNum()>>20, init.MaxScatterToCQE, init.Cap.MaxSendWR)
		must(qp.Close())
	}
}

// TestSpeedOfBothMembers: since rdma-core 49 active_speed_ex has the speeds that exceed a
// byte. Lower speeds are in both members or in active_speed alone.
func TestSpeedOfBothMembers(t *testing.T) {
	t.Parallel()
	for want, env := range map[string][]string{
		"speed 32\n":   {"STUB_SPEED=32"},
		"speed 64\n":   {"STUB_SPEED=64", "STUB_SPEED_EX=0"},
		"speed 128\n":  {"STUB_SPEED=128", "STUB_SPEED_EX=128"},
		"speed 256\n":  {"STUB_SPEED=128", "STUB_SPEED_EX=256"}, // XDR, which the kernel gives the older member as NDR
		"speed 1024\n": {"STUB_SPEED=0", "STUB_SPEED_EX=1024"},
	} {
		if out := runOnStub(t, "^TestAnswersOfTheStub$", env...); !strings.Contains(out, want) {
			t.Errorf("%v: no %q in:\n%s", env, want, out)
		}
	}
}

// TestScatterToCQE: NoScatterToCQE creates an mlx5 QP without scatter to CQE. For other
// devices CreateQP returns the number of bytes that they keep in the CQE.
func TestScatterToCQE(t *testing.T) {
	t.Parallel()
	plain := []string{"RC 1 false: flags 0, holds 0, 64 sends", "RC 1 true: flags 0, holds 0, 64", "RC 4 true: flags 0, holds 0, 64", "UC 1 true: flags 0, holds 0, 64"}
	for _, c := range []struct {
		device string
		env    []string
		want   []string
	}{
		{"rxe", nil, plain},
		{"mlx5", []string{"STUB_MLX5=1", "STUB_VENDOR=0x2c9"}, []string{
			"RC 1 false: flags 0, holds 0, 64 sends", "RC 1 true: flags 8, holds 0, 64 sends",
			"RC 4 true: flags 8, holds 0, 64 sends", "UC 1 true: flags 8, holds 0, 64 sends"}},
		{"mlx4", []string{"STUB_VENDOR=0x2c9"}, plain},
		{"hns", []string{"STUB_VENDOR=0x19e5"}, []string{
			"RC 1 false: flags 0, holds 0,", "RC 1 true: flags 0, holds 32,", "RC 4 true: flags 0, holds 128,", "UC 1 true: flags 0, holds 0,"}},
	} {
		out := runOnStub(t, "^TestAnswersOfTheStub$", c.env...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in:\n%s", c.device, want, out)
			}
		}
	}
}
