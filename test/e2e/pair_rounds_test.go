package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/confidence"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// measure runs a pair on an embedded device and returns the client's file.
func (w *workspace) measure(program, options string) *result.File {
	w.t.Helper()
	server, client := w.startPair(program, "", "-d shm_whole --out_json_file client.json "+options)
	client.exits(statusDone, patience)
	server.exits(statusDone, patience)
	return w.readResult("client.json")
}

// eventually repeats a measurement, which other work on the machine may spoil, until it succeeds.
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

// TestRoundsAndRuns: each row has --rounds rounds in each of --runs runs, and their messages add up to
// those of -n. --seed and the numbers of runs and rounds are in the file.
func TestRoundsAndRuns(t *testing.T) {
	w := newWorkspace(t, "*.json")
	f := w.measure("ib_send_lat", "--compare --rounds 7 --runs 2 --seed 5 -n 1000 -s 64")
	if f.Parameters.Rounds != 7 || f.Parameters.Runs != 2 || f.Parameters.Seed != 5 {
		t.Errorf("parameters %+v", f.Parameters)
	}
	for _, name := range compared {
		if rowOf(f, name) == nil {
			t.Errorf("there is no row %s; not measured: %+v", name, f.NotMeasured)
		}
	}
	for _, r := range f.Rows {
		var messages uint64
		inRun := map[int]int{}
		for _, round := range r.Rounds {
			messages += round.Messages
			inRun[round.Run]++
			if round.Seconds <= 0 || round.P50Ns <= 0 || round.MeanNs <= 0 {
				t.Errorf("%s: a figure is missing in round %+v", r.Name(), round)
			}
		}
		if len(inRun) != 2 || inRun[1] != 7 || inRun[2] != 7 {
			t.Errorf("%s: rounds by run %v, want 7 in each of 2", r.Name(), inRun)
		}
		if messages != r.Latency.N || messages != 1000 {
			t.Errorf("%s: %d messages in the rounds and %d in the row, want 1000", r.Name(), messages, r.Latency.N)
		}
	}
}

// TestFurtherRows checks the control, which repeats mode poll, and the rows of --also.
func TestFurtherRows(t *testing.T) {
	for _, program := range []string{"ib_write_lat", "ib_send_bw"} {
		t.Run(program, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			f := w.measure(program, "--compare --rounds 4 --also look,relaxed -s 64 -n 4000")
			for name, relaxed := range map[string]bool{
				"data": false, "poll": false, "adaptive": false, "poll (control)": false, "data+look": false, "poll+relaxed": true,
			} {
				if r := rowOf(f, name); r == nil || !r.Measured(f.Kind) || r.Relaxed != relaxed || r.NoRatio != "" {
					t.Errorf("row %q is missing, not measured or wrong: %+v", name, r)
				}
			}
			if !slices.Equal(f.Parameters.Also, []option.Variant{"look", "relaxed"}) {
				t.Errorf("parameter also is %q", f.Parameters.Also)
			}
		})
	}
}

// TestTouch: the latency includes the receiver's reading or writing of a message, and each row names
// the touch.
func TestTouch(t *testing.T) {
	w := newWorkspace(t, "*.json")
	fastest := func(touch string) float64 {
		r := w.measure("ib_write_lat", "--completion poll -s 64K -n 2000 --touch "+touch).Rows[0]
		if string(r.Touch) != touch {
			t.Fatalf("with --touch %s the row has touch %q", touch, r.Touch)
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
		for _, r := range w.measure("ib_send_bw", options).Rows {
			if string(r.Touch) != want {
				t.Errorf("%s: row %s has touch %q, want %q", options, r.Name(), r.Touch, want)
			}
		}
	}
}

// TestLatencyGap: the sender pauses between two samples, and no sample includes the pause.
func TestLatencyGap(t *testing.T) {
	w := newWorkspace(t, "*.json")
	const n, gap = 15, 40 * time.Millisecond // longer than a thread waits for its CPU on a busy machine
	for _, mode := range modes {
		eventually(t, func() error {
			f := w.measure("ib_write_lat", fmt.Sprintf("--latency_gap 40ms -s 64 -n %d --completion %s", n, mode))
			r := f.Rows[0]
			if r.Latency.N != n || r.Rounds[0].Seconds < n*gap.Seconds() || f.Parameters.Gap != gap {
				t.Fatalf("%d samples in %v s with a gap of %v", r.Latency.N, r.Rounds[0].Seconds, f.Parameters.Gap)
			}
			if half := float64(gap) / 2; r.Latency.P50Ns >= half { // half of a round trip with the pause
				return fmt.Errorf("mode %s: the median is %v ns", mode, r.Latency.P50Ns)
			}
			return nil
		})
	}
}

// TestPrecision: a run measures until the intervals are as narrow as --precision, or its file says why
// they stayed wider.
func TestPrecision(t *testing.T) {
	const asked = 0.2
	w := newWorkspace(t, "*.json")
	f := w.measure("ib_write_lat", "--compare --precision 20% --time-limit 10s -s 64")
	if f.Parameters.Precision != asked || f.Parameters.TimeLimit != 10*time.Second {
		t.Errorf("parameters %+v", f.Parameters)
	}
	if f.Limits != "" {
		if !strings.Contains(f.Limits, "the widest interval is ±") {
			t.Errorf("the file gives no interval as the limit of the precision: %s", f.Limits)
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
	for _, name := range []string{"data", "adaptive", "event"} {
		mine, _ := figures(rowOf(f, name))
		if w := confidence.OfRatio(mine, base, runs).HalfWidth(); w > asked {
			t.Errorf("the interval of %s to poll is ±%.0f %% wide, and the file gives no reason", name, w*100)
		}
	}
}

// TestEventKeepsUpWithManyQPs: if a QP's ring holds fewer messages than there are per signaled one, no
// side sleeps for a completion that never arrives.
func TestEventKeepsUpWithManyQPs(t *testing.T) {
	for _, program := range []string{"ib_write_bw", "ib_send_bw", "ib_read_bw"} {
		t.Run(program, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			eventually(t, func() error {
				f := w.measure(program, "--compare --rounds 4 -q 8 -s 4096")
				poll, event := rowOf(f, "poll"), rowOf(f, "event")
				if event == nil {
					if len(f.NotMeasured) == 0 {
						t.Fatal("the file has no row of mode event and no reason")
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

// TestEverySampleOfReadsHasARead: no sample is shorter than a READ takes to move its data.
func TestEverySampleOfReadsHasARead(t *testing.T) {
	w := newWorkspace(t, "*.json")
	eventually(t, func() error {
		if l := w.measure("ib_read_lat", "-s 1M").Rows[0].Latency; l.MinNs < l.P50Ns/5 {
			return fmt.Errorf("the fastest READ of 1 MiB took %v ns, the median %v", l.MinNs, l.P50Ns)
		}
		return nil
	})
}
