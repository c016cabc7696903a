package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/reports"
)

// output reads what perftest 6.06 printed at a client.
func output(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPerftestOutputIsUnderstood(t *testing.T) {
	for _, c := range []struct {
		file string
		b    bench
		want float64
	}{
		{"write_bw_64K", bandwidth("write", 65536), 25.94 * (1 << 20)},
		{"send_bw_8", bandwidth("send", 8), 23280},
		{"write_lat_4K", latency("write", 4096, "data"), 211370},
		{"send_lat_2_event", latency("send", 2, "event"), 247370},
		{"read_lat_2", latency("read", 2, "poll"), 161990},
	} {
		r, err := (&perftest{}).read(c.b, output(t, c.file), "")
		if diff := r.value/c.want - 1; err != nil || diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: %v, %v, want %v", c.file, r.value, err, c.want)
		}
	}
}

func TestNewerPerftestCallsTheUnitMiB(t *testing.T) {
	text := strings.ReplaceAll(output(t, "write_bw_64K"), "[MB/sec]", "[MiB/sec]")
	if r, err := (&perftest{}).read(bandwidth("write", 65536), text, ""); err != nil || r.value != 25.94*(1<<20) {
		t.Errorf("%v, %v", r.value, err)
	}
}

func TestPerftestOutputIsRefused(t *testing.T) {
	lat, bw := output(t, "read_lat_2"), output(t, "write_bw_64K")
	wide, small := bandwidth("write", 65536), latency("read", 2, "poll")
	for _, c := range []struct {
		name, text string
		b          bench
		want       string
	}{
		{"nothing", "", small, "no row"},
		{"no row under the names", lat[:strings.Index(lat, "\n 2   ")], small, "no row"},
		{"a row of another size", lat, latency("read", 4096, "poll"), "the row is of 2 bytes"},
		{"a row of another test", bw, bench{"write", "lat", 65536, "data", reports.MetricLatency, 1}, "no column t_typical"},
		{"another unit", strings.ReplaceAll(bw, "[MB/sec]", "[Gb/sec]"), wide, "known unit"},
		{"cycles", strings.ReplaceAll(lat, "t_typical[usec]", "t_typical[cycles]"), small, "known unit"},
		{"no number", strings.ReplaceAll(bw, "25.94", "fast!"), wide, "known unit"},
		{"a rate of nothing", strings.ReplaceAll(bw, "25.94", "0.00"), wide, "frequency"},
		{"an endless latency", strings.ReplaceAll(lat, "161.99", "inf"), small, "frequency"},
		{"no latency", strings.ReplaceAll(lat, "161.99", "-nan"), small, "known unit"},
		{"half a row", strings.ReplaceAll(bw, "0.000415", ""), wide, "5 columns but 4 numbers"},
	} {
		if _, err := (&perftest{}).read(c.b, c.text, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestBothProgramsGetTheSameOptions(t *testing.T) {
	s := setup{bin: "bin", device: "rxe0", gidIndex: 1, mtu: 1024}
	for _, b := range benches {
		shared := testOptions(b, s)
		for _, p := range []program{&ibperf{s}, &perftest{s}} {
			args := p.client(b, 4711, "/tmp")
			at := slices.Index(args, shared[0])
			if at < 0 || !slices.Equal(args[at:at+len(shared)], shared) {
				t.Errorf("%s %s: %q lacks %q", p.name(), b, args, shared)
			}
			if !strings.HasSuffix(args[0], "ib_"+b.test()) || args[len(args)-1] != "127.0.0.1" || !slices.Contains(args, "4711") {
				t.Errorf("%s %s: %q", p.name(), b, args)
			}
		}
		ours, theirs := (&ibperf{s}).client(b, 1, ""), (&perftest{s}).client(b, 1, "")
		if slices.Contains(theirs, "--events") != (b.arrival == "event") || !slices.Contains(ours, b.arrival) {
			t.Errorf("%s: events are not asked for alike: %q, %q", b, ours, theirs)
		}
		if slices.Contains(ours, "--force-data") != (b.arrival == "data") {
			t.Errorf("%s: %q", b, ours)
		}
		if slices.Contains(shared, "--inline_size") == (b.op == "read") || slices.Contains(shared, "--tx-depth") != (b.kind == reports.KindBandwidth) {
			t.Errorf("%s: %q", b, shared)
		}
	}
}

func TestEveryBenchSaysWhatItComparesAndHow(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range benches {
		for _, p := range []program{&ibperf{}, &perftest{}} {
			if p.definition(b) == "" {
				t.Errorf("%s: no definition of %s", p.name(), b)
			}
		}
		if note := (&perftest{}).note(b); note == "" || b.arrival == "data" && !strings.Contains(note, "--force-data") {
			t.Errorf("%s: note is %q", b, note)
		}
		if seen[b.String()] {
			t.Errorf("%s is there twice", b)
		}
		seen[b.String()] = true
	}
	for _, want := range []string{"write_bw, 64K, poll", "send_bw, 8, poll", "read_bw, 8, poll", "write_lat, 2, data",
		"send_lat, 4K, poll", "read_lat, 2, poll", "send_lat, 2, event", "read_lat, 2, event"} {
		if !seen[want] {
			t.Errorf("%s is not measured", want)
		}
	}
}
