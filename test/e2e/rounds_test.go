package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/ratio"
	"github.com/ibperf/ibperf/reports/result"
)

// measured runs a pair on an embedded device and returns the client's file.
func (p *place) measured(program, options string) *result.File {
	p.t.Helper()
	server, client := p.both(program, "", "-d shm_whole --out_json_file client.json "+options)
	client.ends(statusDone, patience)
	server.ends(statusDone, patience)
	return p.readResult("client.json")
}

// eventually repeats what other work on the machine may spoil, until it succeeds.
func eventually(t *testing.T, attempt func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := attempt()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		t.Log(err)
	}
}

// rowOf returns the row of a name, nil if there is none.
func rowOf(f *result.File, name string) *result.Row {
	i := slices.IndexFunc(f.Rows, func(r result.Row) bool { return r.Name() == name })
	if i < 0 {
		return nil
	}
	return &f.Rows[i]
}

// TestRoundsAndRuns: each row is made of as many rounds as were asked for, in each of
// the runs, and all messages of the row are in one of them.
func TestRoundsAndRuns(t *testing.T) {
	p := newPlace(t, "*.json")
	f := p.measured("ib_send_lat", "--compare --rounds 7 --runs 2 -n 1000 -s 64")
	if f.Parameters.Rounds != 7 || f.Parameters.Runs != 2 || len(f.Rows) != len(modes) {
		t.Fatalf("%d rows, parameters %+v", len(f.Rows), f.Parameters)
	}
	for _, r := range f.Rows {
		var messages uint64
		inRun := map[int]int{}
		for _, round := range r.Rounds {
			messages += round.Messages
			inRun[round.Run]++
			if round.Seconds <= 0 || round.P50Ns <= 0 || round.MeanNs <= 0 {
				t.Errorf("%s: round %+v", r.Name(), round)
			}
		}
		if len(inRun) != 2 || inRun[1] != 7 || inRun[2] != 7 {
			t.Errorf("%s: rounds of runs %v", r.Name(), inRun)
		}
		if messages != r.Latency.N || messages != 2000 {
			t.Errorf("%s: %d messages in the rounds and %d in the row, want 2000", r.Name(), messages, r.Latency.N)
		}
	}
}

// TestFurtherRows of a comparison. What spins on memory twice is a row that must not
// differ from itself, so both are there to be held against each other.
func TestFurtherRows(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_send_bw"} {
		t.Run(program, func(t *testing.T) {
			p := newPlace(t, "*.json")
			f := p.measured(program, "--compare --also control,look,relaxed -s 64 -n 4000")
			for name, relaxed := range map[string]bool{
				"data": false, "poll": false, "data (control)": false, "poll (control)": false, "data+look": false, "poll+relaxed": true,
			} {
				if r := rowOf(f, name); r == nil || !r.Measured(f.Kind) || r.Relaxed != relaxed || r.NoRatio != "" {
					t.Errorf("row %q: %+v", name, r)
				}
			}
			if !slices.Equal(f.Parameters.Also, []string{"control", "look", "relaxed"}) {
				t.Errorf("parameters: %q", f.Parameters.Also)
			}
		})
	}
}

// TestTouch: what the receiver does with a message is part of its latency, and rows say
// what it was.
func TestTouch(t *testing.T) {
	p := newPlace(t, "*.json")
	fastest := func(touch string) float64 {
		r := p.measured("ib_write_lat", "--completion poll -s 64K -n 2000 --touch "+touch).Rows[0]
		if r.Touch != touch {
			t.Fatalf("row of --touch %s says %q", touch, r.Touch)
		}
		return r.Latency.MinNs
	}
	eventually(t, func() error {
		none, read, write := fastest("none"), fastest("read"), fastest("write")
		if read < none*1.1 || write < none*1.1 {
			return fmt.Errorf("the fastest samples of 64 KiB took %.0f ns with nothing touched, %.0f read, %.0f written", none, read, write)
		}
		return nil
	})
	for options, want := range map[string]string{"-n 100": "none", "-n 100 --compare": "read", "-n 100 --compare --touch none": "none"} {
		for _, r := range p.measured("ib_send_bw", options).Rows {
			if r.Touch != want {
				t.Errorf("%s: row %s says %q, want %q", options, r.Name(), r.Touch, want)
			}
		}
	}
}

// TestLatencyGap: there is a pause between two samples, which is in none of them.
func TestLatencyGap(t *testing.T) {
	p := newPlace(t, "*.json")
	const n, gap = 15, 40 * time.Millisecond // longer than a thread waits for its CPU on a busy machine
	for _, mode := range modes {
		eventually(t, func() error {
			f := p.measured("ib_write_lat", fmt.Sprintf("--latency_gap 40ms -s 64 -n %d --completion %s", n, mode))
			r := f.Rows[0]
			if r.Latency.N != n || r.Rounds[0].Seconds < n*gap.Seconds() || f.Parameters.Gap != gap {
				t.Fatalf("%d samples in %v s with a gap of %v", r.Latency.N, r.Rounds[0].Seconds, f.Parameters.Gap)
			}
			if half := float64(gap) / 2; r.Latency.P50Ns >= half { // of a round trip that holds the gap
				return fmt.Errorf("mode %s: the median is %v ns", mode, r.Latency.P50Ns)
			}
			return nil
		})
	}
}

// TestPrecision: the run goes on until ratios are as narrow as was asked for, or says
// what keeps them wide.
func TestPrecision(t *testing.T) {
	const asked = 0.2
	p := newPlace(t, "*.json")
	f := p.measured("ib_write_lat", "--compare --precision 20% --time-limit 10s -s 64")
	if f.Parameters.Precision != asked || f.Parameters.TimeLimit != 10*time.Second {
		t.Errorf("parameters %+v", f.Parameters)
	}
	if f.Limits != "" {
		if !strings.Contains(f.Limits, "the widest interval is ±") {
			t.Errorf("what limits the precision: %s", f.Limits)
		}
		return
	}
	figures := func(r *result.Row) (all []float64, runs []int) {
		for _, round := range r.Rounds {
			all, runs = append(all, round.P50Ns), append(runs, round.Run)
		}
		return all, runs
	}
	base, runs := figures(rowOf(f, "poll"))
	for _, name := range []string{"data", "event"} {
		mine, _ := figures(rowOf(f, name))
		if w := ratio.Of(mine, base, runs).HalfWidth(); w > asked {
			t.Errorf("the interval of %s to poll is ±%.0f %% wide, and nothing says why", name, w*100)
		}
	}
}

// TestEventKeepsUpWithManyQPs: where a QP's ring holds fewer messages than a signaled
// one was asked for each, nobody sleeps for a completion that will not come.
func TestEventKeepsUpWithManyQPs(t *testing.T) {
	for _, program := range []string{"ib_write_bw", "ib_send_bw", "ib_read_bw"} {
		t.Run(program, func(t *testing.T) {
			p := newPlace(t, "*.json")
			eventually(t, func() error {
				f := p.measured(program, "--compare -q 8 -s 4096")
				poll, event := rowOf(f, "poll"), rowOf(f, "event")
				if event == nil {
					if len(f.NotMeasured) == 0 {
						t.Fatal("there is no row of mode event, and nothing says why")
					}
					return nil
				}
				if event.Bandwidth.Average < poll.Bandwidth.Average/4 {
					return fmt.Errorf("event moved %.3g bytes/s, poll %.3g", event.Bandwidth.Average, poll.Bandwidth.Average)
				}
				return nil
			})
		})
	}
}

// TestEverySampleOfReadsHasARead: none is shorter than it takes to move the data.
func TestEverySampleOfReadsHasARead(t *testing.T) {
	p := newPlace(t, "*.json")
	eventually(t, func() error {
		if l := p.measured("ib_read_lat", "-s 1M").Rows[0].Latency; l.MinNs < l.P50Ns/5 {
			return fmt.Errorf("the fastest READ of 1 MiB took %v ns, the median %v", l.MinNs, l.P50Ns)
		}
		return nil
	})
}
