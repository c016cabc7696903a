package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// clusterSays returns what ib_cluster prints, and its error.
func clusterSays(ctx context.Context, args string) (string, error) {
	out := &buffer{}
	a := newApp(call{name: clusterProgram, stdout: out, stderr: out})
	err := a.cluster(ctx, strings.Fields(args), nil)
	return out.String(), err
}

func TestClusterSimulates(t *testing.T) {
	text, err := clusterSays(t.Context(), "--simulate nodes=64,bad=2,slow=30%,noise=2% --runs 5 --slow 20%")
	for _, want := range []string{"5 runs of 64 nodes, noise 2 %", "2 bad nodes", "slower by 20 %", "10 of 10 found", "0 of 5 runs blamed one"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("no %q, %v:\n%s", want, err, text)
		}
	}
	if strings.Contains(text, "bad pairs  ") {
		t.Errorf("pairs, of which there were none:\n%s", text)
	}
	text, err = clusterSays(t.Context(), "--simulate nodes=8,bad=0,pairs=1,slow=90% --runs 5")
	if err != nil || !strings.Contains(text, "bad pairs      5 of 5 found") {
		t.Errorf("a bad pair: %v\n%s", err, text)
	}
}

func TestClusterExplainsItsPlace(t *testing.T) {
	t.Setenv("SLURM_PROCID", "3")
	t.Setenv("SLURM_STEP_NUM_TASKS", "8")
	t.Setenv("SLURM_STEP_NODELIST", "n[1-8]")
	text, err := clusterSays(t.Context(), "--explain-launch --rank 2")
	for _, want := range []string{"srun", "2 of 8 (SLURM_PROCID, SLURM_STEP_NUM_TASKS, --rank)", "n1 (first of SLURM_STEP_NODELIST)"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("no %q, %v:\n%s", want, err, text)
		}
	}
	t.Setenv("SLURM_STEP_NUM_TASKS", "many")
	text, err = clusterSays(t.Context(), "--explain-launch")
	wantEnd(t, text, err, StatusOther, "SLURM_STEP_NUM_TASKS")
}

func TestClusterRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                    "no launcher is recognised",
		"--simulate nodes=8 --explain-launch": "give one of --simulate and --explain-launch",
		"--simulate nodes=1":                  "write a number from 4",
		"--simulate nodes=8 --runs 0":         "--runs 0: write a number from 1",
		"--simulate nodes=8 --slow 0%":        "write a percentage above 0",
		"--explain-launch --rank -1":          "write a number from 0",
		"node1":                               "takes no arguments",
		"--topology /nonexistent --rank 0 --ranks 4 --root h": "--topology: open /nonexistent: no such file",
		"--topology /dev/null --rank 0 --ranks 4 --root h":    "--topology /dev/null: it has no line such as SwitchName=leaf1",
		"--min-bw fast":                    "--min-bw fast: write a number of Gb/s",
		"--max-lat 10us":                   "--max-lat 10us: write FIGURE=TIME, such as p99=10us, with one of the figures p50, p99",
		"--schedule tree":                  "--schedule tree: choose one of circle, ring",
		"--schedule one-to-all --together": "--together --schedule one-to-all: rank 0 would have many tests at once",
		"--keep none":                      "--keep none: choose one of low, all",
		"--quick --partners 3":             "--quick sets --partners and --time-limit",
		"-d mlx5_0,,mlx5_2":                "--ib-dev mlx5_0,,mlx5_2: the name of device 2 is missing",
		"-d mlx5_0,mlx5_0":                 "--ib-dev mlx5_0,mlx5_0: mlx5_0 is there twice",
		"-d mlx5_0 --all-rails":            "--all-rails needs several devices of each node: -d NAME,NAME",
		"--partners 0":                     "--partners 0: write a number from 1",
	} {
		text, err := clusterSays(t.Context(), args)
		wantEnd(t, args+text, err, StatusUsage, want)
	}
}

func TestClusterEndsWithItsSignal(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&interruptedError{"SIGINT"})
	if text, err := clusterSays(ctx, "--simulate nodes=128 --runs 1000000"); !errors.As(err, new(*interruptedError)) || text != "" {
		t.Errorf("said %q, error %v", text, err)
	}
}

func TestClusterHelp(t *testing.T) {
	text, err := clusterSays(t.Context(), "--help")
	if err != nil || !strings.Contains(text, "--explain-launch") || !strings.Contains(text, "--resume") {
		t.Errorf("help: %s, %v", text, err)
	}
}
