package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/test/stub"
)

// mlx5 holds variables that make stub0 a ConnectX-5, by which perftest decides how to create QPs.
var mlx5 = []string{"STUB_MLX5=1", "STUB_VENDOR=0x2c9", "STUB_PART=0x1017"}

// sizes are the bytes that both sides of a run took with libmlx5, as the stub computes them.
type sizes struct{ sendQueues, pinned int }

// sizesOf runs a pair on the stub as an mlx5 device and returns its sizes.
func sizesOf(t *testing.T, w *workspace, run func()) (s sizes) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sizes")
	w.env = slices.Concat(stub.Env(t), mlx5, []string{"STUB_SIZES=" + file})
	run()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var what string
		var bytes int
		if _, err := fmt.Sscan(line, &what, &bytes); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if what == "send-queue" {
			s.sendQueues += bytes
		} else {
			s.pinned += bytes
		}
	}
	return s
}

// QPs of bandwidth tests on an mlx5 device have send queues no larger than with perftest, and over RC all
// pinned memory is no larger. Without perftest the send queues are compared with those of its sources: by
// ctx_qp_create in src/perftest_resources.c a QP has --tx-depth requests, no inline data and one operation,
// which is an entry of 64 bytes each (mlx5_calc_send_wqe in providers/mlx5/verbs.c of rdma-core).
func TestQueuesAreNoLargerThanThoseOfPerftest(t *testing.T) {
	for _, c := range []struct {
		program, options string
		qps, entry       int
	}{
		{"ib_write_bw", "-q 1024 -s 4096 -n 200", 1024, 64},
		{"ib_write_bw", "-q 16 -D 1", 16, 64},
		{"ib_send_bw", "-q 16 -s 4096 -n 200", 16, 64},
		{"ib_read_bw", "-q 16 -s 4096 -n 200", 16, 64},
		{"ib_atomic_bw", "-q 16 -n 200", 16, 64},
		{"ib_write_bw", "-c UC -q 4 -s 4096 -n 200", 4, 64},
		{"ib_send_bw", "-c UD -q 4 -s 1024 -n 200", 4, 128},
		{"ib_write_bw", "-I 220 -q 4 -s 64 -n 200", 4, 256},
		{"ib_write_bw", "--use_old_post_send -q 4 -s 4096 -n 200", 4, 256},
	} {
		t.Run(c.program+" "+c.options, func(t *testing.T) {
			args := append([]string{"-d", "stub0", "-x", "0", "-F"}, strings.Fields(c.options)...)
			w := newWorkspace(t)
			ours := sizesOf(t, w, func() {
				w.runPair(statusDone, c.program, "-d stub0", strings.Join(args, " "))
			})
			if want := 2 * c.qps * 128 * c.entry; ours.sendQueues != want {
				t.Errorf("the send queues of both sides have %d bytes, want %d", ours.sendQueues, want)
			}
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skip("perftest is not installed")
			}
			line, other := &perftestLine{}, &workspace{t: t, dir: t.TempDir(), temp: t.TempDir(), host: loopback}
			line.command.args = args
			theirs := sizesOf(t, other, func() {
				if _, err := line.runPerftest(t, other, program); err != nil {
					t.Fatalf("perftest: %v", err)
				}
			})
			t.Logf("bytes of send queues and pinned: %v, perftest %v", ours, theirs)
			overRC := !strings.Contains(c.options, "-c")
			if ours.sendQueues > theirs.sendQueues || overRC && ours.pinned > theirs.pinned {
				t.Errorf("bytes of send queues and pinned: %v, perftest %v", ours, theirs)
			}
		})
	}
}
