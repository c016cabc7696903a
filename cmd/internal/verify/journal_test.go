package verify

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// begun creates a journal of two cycles of WRITE, SEND and READ at two sizes.
func begun(t *testing.T, dir string) *Journal {
	t.Helper()
	s := option.VerifySettings()
	s.Sizes = []int{8, 4096}
	h, err := NewHead("v1", []string{"ib_verify"}, &s.Plan, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	j, err := Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// checked returns a checkpoint with 1000 messages of each size.
func checked(cycle int, op option.Op) *Checkpoint {
	side := Side{Host: "node", CPU: "cpu", Device: "mlx5_0", Firmware: "28.40", GID: "fe80::1", Kernel: "6.1", Libraries: map[string]string{"ibv": "1.14"}}
	size := func(bytes int) Size {
		return Size{Bytes: bytes, Mode: option.ModeData, Checked: 1000, FromClient: 400, FromServer: 500}
	}
	return &Checkpoint{Time: time.Unix(1e9, 0), Cycle: cycle, Op: op, Seconds: 10, Sizes: []Size{size(8), size(4096)}, Client: side, Server: side}
}

func (j *Journal) mustAppend(t *testing.T, all ...*Checkpoint) {
	t.Helper()
	for _, c := range all {
		if err := j.Append(c); err != nil {
			t.Fatal(err)
		}
	}
}

// The checks of a time are as many cycles as fit, with a checkpoint of at most 5 s for each size.
func TestLengthOfTheChecks(t *testing.T) {
	for total, want := range map[time.Duration]struct {
		cycles int
		row    time.Duration
	}{
		time.Second: {1, 83333333}, time.Minute: {1, 5 * time.Second}, time.Hour: {60, 5 * time.Second}, 72 * time.Hour: {4320, 5 * time.Second},
	} {
		s := option.VerifySettings()
		h, err := NewHead("v1", nil, &s.Plan, total)
		if p := h.Plan(option.OpRead); err != nil || h.Cycles != want.cycles || p.Duration != want.row || p.Op != option.OpRead || !p.Verify || !p.Both {
			t.Errorf("%v: %d cycles, %v a row, %v", total, h.Cycles, p.Duration, err)
		}
	}
	s := option.VerifySettings()
	s.Transport = option.UC
	if h, err := NewHead("v1", nil, &s.Plan, time.Minute); err != nil || !slices.Equal(h.Ops, []option.Op{option.OpWrite, option.OpSend}) {
		t.Errorf("over UC: %v, %v", h.Ops, err)
	}
}

// A crash loses at most what no checkpoint has: a line that was written in part is removed, and the counts go on.
func TestResumeGoesOn(t *testing.T) {
	dir := t.TempDir()
	j := begun(t, dir)
	if _, err := Resume(dir); err == nil || !strings.Contains(err.Error(), "another ib_verify uses it") {
		t.Errorf("two processes have the journal: %v", err)
	}
	j.mustAppend(t, checked(1, option.OpWrite), checked(1, option.OpSend))
	j.Close()
	path := filepath.Join(dir, JournalName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(slices.Clone(whole), `{"time":"2026-`...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, j.Head); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a new journal has replaced another one: %v", err)
	}
	if j, err = Resume(dir); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if left := j.Left(1); !slices.Equal(left, []option.Op{option.OpRead}) || j.Complete() || j.Head.Cycles != 2 {
		t.Errorf("left are %v of %d cycles", left, j.Head.Cycles)
	}
	if p := j.Head.Plan(option.OpRead); !slices.Equal(p.Sizes, []int{8, 4096}) || p.Duration != 5*time.Second || !p.Verify || !p.Both || p.Completion != option.ModeAuto {
		t.Errorf("the plan is %+v", p)
	}
	early := checked(2, option.OpWrite)
	early.Error = "peer lost"
	j.mustAppend(t, checked(1, option.OpRead), early)
	if left := j.Left(2); len(left) != 3 {
		t.Errorf("checks that ended early are not repeated: left are %v", left)
	}
	j.mustAppend(t, checked(2, option.OpWrite), checked(2, option.OpSend), checked(2, option.OpRead))
	if all, bad := j.Totals.Checked(); all != 14000 || bad != 0 || !j.Complete() || j.Totals.Sittings != 2 || j.Totals.Seconds != 70 {
		t.Errorf("%d messages, %d wrong, complete %v, %+v", all, bad, j.Complete(), j.Totals)
	}
	now, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(now), string(whole)) {
		t.Errorf("the lines before have changed: %v", err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(now)), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
}

// Another device or firmware is refused, and what else changes is noted.
func TestWhatChanges(t *testing.T) {
	j := begun(t, t.TempDir())
	defer j.Close()
	j.mustAppend(t, checked(1, option.OpWrite))
	for name, change := range map[string]func(*Side){
		"host": func(s *Side) { s.Host = "other" }, "device": func(s *Side) { s.Device = "other" }, "firmware": func(s *Side) { s.Firmware = "other" }, "CPU": func(s *Side) { s.CPU = "other" },
	} {
		c := checked(1, option.OpSend)
		change(&c.Server)
		err := j.Append(c)
		if !errors.As(err, new(*DifferentError)) || !strings.Contains(err.Error(), name+` of the server is "other" and was "`) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	c := checked(1, option.OpSend)
	c.Client.GID, c.Server.Libraries = "fe80::2", map[string]string{"ibv": "1.15"}
	j.mustAppend(t, c)
	want := []string{`GID of the client is "fe80::2" and was "fe80::1"`, `libraries of the server is "ibv 1.15" and was "ibv 1.14"`}
	if !slices.Equal(c.Changed, want) {
		t.Errorf("noted %q, want %q", c.Changed, want)
	}
	if text := j.Report(0); !strings.Contains(text, want[0]) {
		t.Errorf("the report lacks the change: %s", text)
	}
	if all, _ := j.Totals.Checked(); all != 4000 {
		t.Errorf("%d messages, want those of two checkpoints", all)
	}
}

// The rate of errors is that of the wrong messages, or its upper bound by the rule of three.
func TestReport(t *testing.T) {
	j := begun(t, t.TempDir())
	defer j.Close()
	if text := j.Report(0); !strings.Contains(text, "no checkpoint was reached") {
		t.Errorf("an empty journal: %s", text)
	}
	bad := checked(1, option.OpSend)
	bad.Sizes[1].Torn, bad.Sizes[1].First, bad.Sizes[0].Mode = 20, "slot 7", option.ModePoll
	j.mustAppend(t, checked(1, option.OpWrite), bad)
	text := j.Report(0)
	for _, want := range []string{"20s of 1m0s checked", "20 of 4,000 messages wrong", "below 3.0e-03 (95 %)", "2.0e-02", "first wrong SEND of 4096 bytes, mode data: slot 7", "other modes than data say nothing"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q: %s", want, text)
		}
	}
	if rows := j.Totals.Wrong(); len(rows) != 1 || rows[0].Size != 4096 || rows[0].Verify.Torn != 20 || j.Totals.InMemory() != 3000 {
		t.Errorf("wrong rows are %+v; %d messages in memory", rows, j.Totals.InMemory())
	}
}

// A checkpoint has what the result file has of both sides, and only counters that grew.
func TestCheckpointOfAResult(t *testing.T) {
	f := &result.File{Op: option.OpRead, Finished: time.Unix(1e9, 0), Error: "lost"}
	if c := Of(f, 1); c != nil {
		t.Errorf("a file without rows: %+v", c)
	}
	f.Local.Device = result.Device{Name: "mlx5_0", Firmware: "28.40", GID: "fe80::1"}
	f.Rows = []result.Row{{
		Size: 8, Mode: option.ModeData, Forced: true, Bandwidth: &result.Bandwidth{Seconds: 2}, FromClient: &result.Direction{Messages: 3}, FromServer: &result.Direction{Messages: 4},
		Verify: &result.Verify{Messages: 9, Torn: 1, Stale: 2, Duplicates: 3, First: "slot 7"}, Local: result.Cost{Counters: map[string]uint64{"port_xmit_data": 5, "zero": 0}},
	}}
	c := Of(f, 7)
	want := Size{Bytes: 8, Mode: option.ModeData, Forced: true, FromClient: 3, FromServer: 4, Checked: 9, Torn: 1, Stale: 2, Duplicates: 3, First: "slot 7"}
	got := c.Sizes[0]
	if len(got.Counters) != 1 || got.Counters["port_xmit_data"] != 5 {
		t.Errorf("counters: %v", got.Counters)
	}
	if got.Bytes != want.Bytes || got.Checked != want.Checked || got.Bad() != 6 || got.First != want.First || got.FromServer != 4 || !got.Forced {
		t.Errorf("%+v, want %+v", got, want)
	}
	if c.Cycle != 7 || c.Op != option.OpRead || c.Seconds != 2 || c.Error != "lost" || c.Client.Firmware != "28.40" || c.Client.GID != "fe80::1" {
		t.Errorf("%+v", c)
	}
}
