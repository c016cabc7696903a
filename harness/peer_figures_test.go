package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/harness/internal/testcase"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// said records the rounds and rows that a side sends.
type said struct {
	oob.Peer
	rounds []oob.Round
	rows   []oob.Row
}

func (s *said) Result(mine oob.Round) (oob.Round, error) {
	s.rounds = append(s.rounds, mine)
	return s.Peer.Result(mine)
}

func (s *said) Row(mine oob.Row) (oob.Row, error) {
	s.rows = append(s.rows, mine)
	return s.Peer.Row(mine)
}

// sample is a message that a side sent in a run, and the limits of its figures.
type sample struct {
	name   string
	text   []byte
	limits oob.Limits
	row    bool
}

// arrive decodes and checks a message as its receiver does.
func (m *sample) arrive(text []byte) error {
	if m.row {
		var r oob.Row
		return errors.Join(oob.Decode(text, &r), r.Check(m.limits))
	}
	var r oob.Round
	return errors.Join(oob.Decode(text, &r), r.Check(m.limits))
}

// realMessages runs a few tests and returns the messages of each side.
func realMessages(t testing.TB) (all []sample) {
	t.Helper()
	verify := testPlan(option.OpSend, option.KindBandwidth, 64, 300)
	verify.Verify = true
	both := testPlan(option.OpWrite, option.KindBandwidth, 64, 300)
	both.Both = true
	for name, p := range map[string]option.Plan{
		"latency": testPlan(option.OpWrite, option.KindLatency, 64, 300), "verify": verify, "both": both,
	} {
		p.Completion = option.ModePoll
		var sides [2]said
		_, errs := pair{device: "shm_whole", plan: p, peer: func(side int, peer oob.Peer) oob.Peer {
			sides[side].Peer = peer
			return &sides[side]
		}}.run(t)
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		limits := oob.Limits{Time: time.Minute, Threads: 1, Kind: p.Kind, Size: 64}
		keep := func(side int, row bool, v any) {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, sample{fmt.Sprintf("%s of side %d", name, side), text, limits, row})
		}
		for i := range sides {
			keep(i, false, sides[i].rounds[len(sides[i].rounds)-1])
			keep(i, true, sides[i].rows[0])
		}
	}
	return all
}

// figuresOf lists the paths of all numbers and of the texts that are checked.
func figuresOf(v map[string]any, path ...string) (all [][]string) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		at := append(slices.Clone(path), name)
		switch inner := v[name].(type) {
		case map[string]any:
			all = append(all, figuresOf(inner, at...)...)
		case json.Number:
			all = append(all, at)
		case string:
			if name == "histogram" || name == "measured_at" {
				all = append(all, at)
			}
		}
	}
	return all
}

// spoilt returns a message with another value at a path.
func (m *sample) spoilt(t testing.TB, path []string, value string) []byte {
	t.Helper()
	whole := m.members(t)
	at := whole
	for _, name := range path[:len(path)-1] {
		at = at[name].(map[string]any)
	}
	at[path[len(path)-1]] = json.RawMessage(value)
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (m *sample) members(t testing.TB) (whole map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(m.text))
	d.UseNumber()
	if err := d.Decode(&whole); err != nil {
		t.Fatal(err)
	}
	return whole
}

// harmless are values that a figure may always have.
var harmless = map[string][]string{
	"cpu": {"-1"}, "clock_drift": {"-1", "5e-324"}, "begin_ns": {"-1"}, "run": {"-1", "9223372036854775807"},
}

// small lists figures without a lower limit.
var small = []string{"slowest_bytes_per_s", "median_window_bytes_per_s", "peak_bytes_per_s", "iterations_per_s", "p50_ns", "mean_ns", "min_ns", "stdev_ns"}

// Each figure of each message is refused if it has a value that cannot be measured, and the error
// names the figure or one that limits it.
func TestImpossibleFiguresOfThePeerAreRefused(t *testing.T) {
	values := []string{"-1", "5e-324", "1e308", "1e999", "9223372036854775807", "18446744073709551615", `"x"`, `"SGVsbG8="`}
	refused := 0
	for _, m := range realMessages(t) {
		if err := m.arrive(m.text); err != nil {
			t.Errorf("%s: %v\n%s", m.name, err, m.text)
		}
		for _, path := range figuresOf(m.members(t)) {
			figure := path[len(path)-1]
			for _, value := range values {
				if slices.Contains(harmless[figure], value) || value == "5e-324" && slices.Contains(small, figure) {
					continue
				}
				err := m.arrive(m.spoilt(t, path, value))
				if err == nil {
					t.Errorf("%s: %s = %s was accepted", m.name, strings.Join(path, "."), value)
					continue
				}
				if refused++; !strings.Contains(err.Error(), "json: ") && (!strings.Contains(err.Error(), figure) && !named(err, figure) || figure == "") {
					t.Errorf("%s: %s = %s: %v", m.name, strings.Join(path, "."), value, err)
				}
			}
		}
	}
	if refused < 300 {
		t.Errorf("only %d values were refused", refused)
	}
}

// named reports whether the error is about a figure that this one limits.
func named(err error, figure string) bool {
	of := map[string][]string{
		"max_ns": {"min_ns", "mean_ns", "histogram"}, "begin_ns": {"end_ns"}, "seconds": {"messages"}, "n": {"histogram"},
		"messages": {"bytes", "average"}, "p99_ns": {"p99_9_ns"},
	}
	return slices.ContainsFunc(of[figure], func(name string) bool { return strings.Contains(err.Error(), name) })
}

// Figures of hosts that are slow, have coarse clocks or were suspended are accepted.
func TestUnusualFiguresOfThePeerAreAccepted(t *testing.T) {
	limits := oob.Limits{Time: time.Second, Threads: 2, Kind: option.KindBandwidth, Size: 8}
	day := (24 * time.Hour).Nanoseconds()
	for name, r := range map[string]oob.Round{
		"nothing":            {Figure: &result.Round{}},
		"all at once":        {Figure: &result.Round{Messages: 1e6}},
		"a suspended client": {Figure: &result.Round{Messages: 8, Seconds: 86400, Average: 64. / 86400}, Begin: 5, End: day, CPUNs: 2 * day, WallNs: 2 * day, Drift: 8.64e10},
		"a clock below 0":    {Begin: -5, End: -3, CPU: affinity.NoCPU},
	} {
		if err := r.Check(limits); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A result file with accepted figures can be encoded, whatever the peer sent.
func FuzzPeersFigures(f *testing.F) {
	for _, m := range realMessages(f) {
		f.Add(m.text, m.row, m.limits.Kind == option.KindLatency)
	}
	f.Fuzz(func(t *testing.T, text []byte, row, latency bool) {
		m := sample{row: row, limits: oob.Limits{Time: time.Minute, Threads: 1, Kind: option.KindBandwidth, Size: 64}}
		if latency {
			m.limits.Kind = option.KindLatency
		}
		if m.arrive(text) != nil {
			return
		}
		var theirs oob.Row
		var round oob.Round
		if row {
			_ = oob.Decode(text, &theirs)
		} else {
			_ = oob.Decode(text, &round)
		}
		p := testPlan(option.OpWrite, m.limits.Kind, 64, 300)
		test := testcase.NewSet(p).Case(testcase.Mode{Completion: option.ModePoll}, 64, testcase.Answers{})
		builder := newRowBuilder(&Config{}, &test, "")
		builder.there.add(round)
		if round.Figure != nil {
			builder.rounds = append(builder.rounds, *round.Figure)
			theirs = builder.fromRounds()
		}
		made := builder.build(&p, false, oob.Row{}, theirs)
		if !made.Measured(p.Kind) {
			return
		}
		file := &result.File{Header: result.FileHeader(), Op: p.Op, Kind: p.Kind, Rows: []result.Row{made}}
		if _, err := file.Encode(); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
	})
}
