package page

import (
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

func TestCommandRepeatsARun(t *testing.T) {
	part := testresult.File(t, "write", option.KindLatency, []int{8, 4096}, allModes...)
	p := part.Parameters.Asked()
	p.TxDepth, p.Iterations, p.Duration, p.Runs, p.Rounds, p.QPs = 1, 0, 39_999_998, 5, 2, 16
	part.Parameters.Plan, part.Parameters.Decided = p, nil
	part.Command = []string{"ib_compare", "node2"}
	part.Local.Device.Name, part.Peer.Device.Name, part.Peer.Device.Port = "mlx5_0", "mlx5_1", 2
	served := *part
	served.Role, served.Local, served.Peer = "server", part.Peer, part.Local
	want := [2]string{"ib_write_lat --ib-dev mlx5_1 --ib-port 2", "ib_write_lat --ib-dev mlx5_0 --size 8,4096 --duration 0.04 --qp 16 --compare --rounds 2 --runs 5 node2"}
	for _, f := range []*result.File{part, &served} {
		c := commandOf(f)
		if got := [2]string{strings.Join(c.Server, " "), strings.Join(c.Client, " ")}; got != want {
			t.Errorf("%s: commands\n%q, want\n%q", f.Role, got, want)
		}
	}
	two := testresult.Devices(testresult.File(t, "write", option.KindBandwidth, []int{8}, "poll"))
	if got := commandOf(two); got.Server[2] != "mlx5_0:1,mlx5_1:1" || got.Client[2] != "mlx5_0:1,mlx5_1:1" {
		t.Errorf("two devices: commands %q", got)
	}
	part.Peer.Host = part.Local.Host
	if got := commandOf(part).Client; got[len(got)-1] != "localhost" {
		t.Errorf("on one host: %q", got)
	}
}

func TestCommandsRunNothingElse(t *testing.T) {
	for word, want := range map[string]string{"shm_unordered:seed=7": "shm_unordered:seed=7", "a b": "'a b'", "$(reboot)": "'$(reboot)'", "it's": `'it'\''s'`, "a\nb": "'a b'", "": "''", "~": "'~'"} {
		if got := shellWords([]string{word})[0]; got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
	}
}
