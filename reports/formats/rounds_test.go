package formats

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"testing"

	"github.com/ibperf/ibperf/internal/testresult"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// roundsOf returns the lines of a table of rounds, by the names of their columns.
func roundsOf(t *testing.T, runs ...Labelled) (lines []map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteRounds(&b, runs); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d lines, %v", len(all), err)
	}
	for _, cells := range all[1:] {
		line := map[string]string{}
		for i, c := range cells {
			line[all[0][i]] = c
		}
		if len(line) != len(all[0]) {
			t.Fatalf("two columns of one name in %q", all[0])
		}
		lines = append(lines, line)
	}
	return lines
}

// A table of rounds has one line for each round, with its figures and every option.
func TestTableOfRoundsHasEveryRound(t *testing.T) {
	lat := testresult.File(t, "write", option.KindLatency, []int{2, 64}, "data", "poll")
	lat.Parameters.MTU = 1024
	bw := testresult.File(t, "read", option.KindBandwidth, []int{8}, "poll")
	for _, f := range []*result.File{lat, bw} {
		for i := range f.Rows {
			for j := range f.Rows[i].Rounds {
				f.Rows[i].Rounds[j].Run = 1 + j/4
			}
		}
	}
	lines, next := roundsOf(t, Labelled{lat, "north"}, Labelled{bw, "south"}), 0
	for _, f := range []*result.File{lat, bw} {
		for i := range f.Rows {
			for j := range f.Rows[i].Rounds {
				r, round := &f.Rows[i], &f.Rows[i].Rounds[j]
				want := map[string]string{
					"label": "north", "test": "write_lat", "size_bytes": strconv.Itoa(r.Size), "mode": string(r.Mode), "variant": "",
					"run": strconv.Itoa(1 + j/4), "round": strconv.Itoa(1 + j%4), "messages": "250", "seconds": "0.005", "messages_per_s": "50000",
					"p50_ns": strconv.FormatFloat(round.P50Ns, 'f', -1, 64), "mean_ns": strconv.FormatFloat(round.MeanNs, 'f', -1, 64), "average_bytes_per_s": "",
					"parameters.mtu_bytes": fmt.Sprint(f.Parameters.MTU), "host": "node1", "peer_host": "node2", "device": "shm_whole",
				}
				if f == bw {
					want["label"], want["test"], want["p50_ns"], want["mean_ns"] = "south", "read_bw", "", ""
					want["average_bytes_per_s"] = strconv.FormatFloat(round.Average, 'f', -1, 64)
				}
				if next >= len(lines) {
					t.Fatalf("%d lines", len(lines))
				}
				for name, text := range want {
					if lines[next][name] != text {
						t.Errorf("line %d: %s is %q, want %q", next, name, lines[next][name], text)
					}
				}
				next++
			}
		}
	}
	if next != len(lines) {
		t.Errorf("%d lines of %d rounds", len(lines), next)
	}
}

func TestTableOfRoundsHasEveryOption(t *testing.T) {
	line := roundsOf(t, Labelled{testresult.File(t, "write", option.KindLatency, []int{2}, "poll"), "a"})[0]
	for _, o := range option.AgreedOptions() {
		if _, ok := line["parameters."+o.JSON]; !ok {
			t.Errorf("no column for --%s", o.Name)
		}
	}
}

// Spreadsheets read a label as a text.
func TestTableOfRoundsHasNoFormulas(t *testing.T) {
	f := testresult.File(t, "write", option.KindLatency, []int{2}, "poll")
	if got := roundsOf(t, Labelled{f, "=1+1"})[0]["label"]; got != "'=1+1" {
		t.Errorf("the label is %q", got)
	}
}
