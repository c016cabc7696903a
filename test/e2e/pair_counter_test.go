package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/stub"
)

const counters = "STUB_COUNTERS=1"

// TestModeCounter: on a device with completion counters every message is there when it was counted: in
// latency and bandwidth tests, of several sizes and runs, on several QPs, timed and counted, and over SRD,
// where messages overtake each other.
func TestModeCounter(t *testing.T) {
	for _, c := range []struct {
		program, options string
		env              []string
	}{
		{"ib_write_lat", "-s 2,64,4096 -n 300 --runs 2", nil},
		{"ib_write_lat", "-s 64 -q 3 -n 300", nil},
		{"ib_write_lat", "-s 64 -D 0.1", []string{"IBPERF_CGO=1"}},
		{"ib_write_bw", "-s 8,4096 -n 2000 --runs 2", nil},
		{"ib_write_bw", "-s 1000 -q 3 -D 0.1 --reversed", nil},
		{"ib_write_bw", "-s 1000 -l 4 -n 2000", mlx5},
		{"ib_write_lat", "-c SRD -s 1000 -q 2 -n 300", efa},
	} {
		t.Run(c.program+" "+c.options, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = slices.Concat(stub.Env(t), c.env, []string{counters})
			w.runPair(statusDone, c.program, "", "-d stub0 --completion counter --verify --out_json_file client.json "+c.options)
			for _, r := range w.readResult("client.json").Rows {
				if r.Mode != option.ModeCounter || r.Opcode != "RDMA_WRITE" || r.Verify == nil || r.Verify.Messages == 0 || r.Verify.Bad() > 0 {
					t.Errorf("mode %s, opcode %s, %+v", r.Mode, r.Opcode, r.Verify)
				}
			}
		})
	}
}

// TestWrongDataInModeCounter: --verify sees data that is wrong when the counter has counted it.
func TestWrongDataInModeCounter(t *testing.T) {
	w := newWorkspace(t)
	w.env = append(stub.Env(t), counters, "STUB_FAULT=data")
	server, client := w.startPair("ib_write_bw", "", "-d stub0 -s 4096 -n 500 --completion counter --verify")
	if here, there := client.wait(patience), server.wait(patience); here != statusData || there != statusData {
		t.Errorf("the client ended with status %d, the server with %d, want %d\n%s", here, there, statusData, client.output())
	}
}

// TestComparisonWithCounters: a comparison measures mode counter where both sides of a ping-pong, or the
// receiver of a stream, have counters, and leaves it out elsewhere.
func TestComparisonWithCounters(t *testing.T) {
	base := stub.Env(t)
	for _, c := range []struct {
		program, options string
		server, client   string
		want             bool
	}{
		{"ib_write_lat", "", counters, counters, true},
		{"ib_write_lat", "", "STUB_COUNTERS=0", counters, false},
		{"ib_write_lat", "", counters, "STUB_COUNTERS=0", false},
		{"ib_write_bw", "", counters, "STUB_COUNTERS=0", true},
		{"ib_write_bw", "", "STUB_COUNTERS=0", counters, false},
		{"ib_write_lat", "--adaptive-routing yes", counters, counters, false},
		{"ib_send_lat", "", counters, counters, false},
	} {
		t.Run(strings.Join([]string{c.program, c.options, c.server, c.client}, " "), func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			w.env = append(slices.Clone(base), c.server)
			server, port := w.serve(c.program)
			w.env = append(slices.Clone(base), c.client)
			args := append([]string{"-d", "stub0", "--compare", "-s", "64", "-n", "60", "--runs", "2", "--out_json_file", "client.json"}, strings.Fields(c.options)...)
			client := w.connect(c.program, port, args...)
			status := client.wait(patience)
			if other := server.wait(patience); status != statusDone && status != statusUnclear || other != statusDone {
				t.Fatalf("the client ended with status %d, the server with %d\n%s", status, other, client.output())
			}
			f := w.readResult("client.json")
			has := slices.ContainsFunc(f.Rows, func(r result.Row) bool { return r.Mode == option.ModeCounter })
			if has != c.want || slices.Contains(f.Parameters.Modes, option.ModeCounter) != c.want {
				t.Errorf("modes %q, a row of counter: %v; want %v", f.Parameters.Modes, has, c.want)
			}
		})
	}
}

// TestModeCounterIsRefused by name: where a device has no counters, or too few of them, or counts something
// else than the messages.
func TestModeCounterIsRefused(t *testing.T) {
	base := stub.Env(t)
	none := "STUB_COUNTERS=0"
	for _, c := range []struct {
		program, options string
		server, client   string
		status           int
		want             string
	}{
		{"ib_write_bw", "", none, counters, statusRefused, "completion mode counter refused: the device of the peer counts no WRITEs"},
		{"ib_write_lat", "", counters, none, statusRefused, "on this side, device stub0 counts no WRITEs of the peer: query_comp_cntr_caps stub0"},
		{"ib_write_lat", "-q 65", counters, counters, statusRefused, "the device has 64 counters"},
		{"ib_send_lat", "", counters, counters, statusUsage, "a completion counter counts WRITEs of the peer, and ib_send_lat measures SEND"},
		{"ib_write_lat", "-c UC", counters, counters, statusUsage, "not over UC"},
		{"ib_write_bw", "-c SRD", counters, counters, statusUsage, "messages overtake each other"},
		{"ib_write_bw", "-b", counters, counters, statusUsage, "in both directions"},
		{"ib_write_bw", "--write_with_imm", counters, counters, statusUsage, "has a completion in the receiver's CQ"},
		{"ib_write_lat", "--adaptive-routing yes", counters, counters, statusUsage, "second request"},
	} {
		t.Run(strings.Join([]string{c.program, c.options, c.server, c.client}, " "), func(t *testing.T) {
			w := newWorkspace(t)
			w.env = append(slices.Clone(base), c.client)
			args := append([]string{"-d", "stub0", "-n", "100", "--completion", "counter"}, strings.Fields(c.options)...)
			if c.status == statusUsage {
				client := w.start(c.program, append(args, "127.0.0.1")...)
				client.exits(c.status, patience)
				client.wantStderr(c.want)
				return
			}
			w.env = append(slices.Clone(base), c.server)
			server, port := w.serve(c.program)
			w.env = append(slices.Clone(base), c.client)
			client := w.connect(c.program, port, args...)
			if here, there := client.wait(patience), server.wait(patience); here != c.status || there != c.status {
				t.Fatalf("the client ended with status %d, the server with %d, want %d\n%s", here, there, c.status, client.output())
			}
			if !strings.Contains(client.output()+server.output(), c.want) {
				t.Errorf("no side says %q:\n%s\n%s", c.want, client.output(), server.output())
			}
		})
	}
	t.Run("embedded", func(t *testing.T) {
		w := newWorkspace(t)
		_, client := w.startPair("ib_write_lat", "", "-d shm_whole -n 100 --completion counter")
		client.exits(statusRefused, patience)
		client.wantStderr("embedded devices have none", "--completion data, poll, adaptive or event")
	})
}
