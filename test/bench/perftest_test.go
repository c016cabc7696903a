package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/option"
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
		{"write_bw_64K", bandwidth("write", 65536, "poll", 500), 25.94 * (1 << 20)},
		{"send_bw_8", bandwidth("send", 8, "poll", 500), 23280},
		{"write_lat_4K", latency("write", 4096, "data", 500), 211370},
		{"send_lat_2_event", latency("send", 2, "event", 500), 247370},
		{"read_lat_2", latency("read", 2, "poll", 500), 161990},
	} {
		r, err := (&perftest{}).read(c.b, output(t, c.file), "")
		if diff := r.value/c.want - 1; err != nil || diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: %v, %v, want %v", c.file, r.value, err, c.want)
		}
	}
}

func TestNewerPerftestCallsTheUnitMiB(t *testing.T) {
	text := strings.ReplaceAll(output(t, "write_bw_64K"), "[MB/sec]", "[MiB/sec]")
	if r, err := (&perftest{}).read(bandwidth("write", 65536, "poll", 500), text, ""); err != nil || r.value != 25.94*(1<<20) {
		t.Errorf("%v, %v", r.value, err)
	}
}

func TestPerftestOutputIsRefused(t *testing.T) {
	lat, bw := output(t, "read_lat_2"), output(t, "write_bw_64K")
	wide, small := bandwidth("write", 65536, "poll", 500), latency("read", 2, "poll", 500)
	for _, c := range []struct {
		name, text string
		b          bench
		want       string
	}{
		{"nothing", "", small, "no row"},
		{"no row under the names", lat[:strings.Index(lat, "\n 2   ")], small, "no row"},
		{"a row of another size", lat, latency("read", 4096, "poll", 500), "the row is of 2 bytes"},
		{"a row of another test", bw, latency("write", 65536, "data", 1), "no column t_typical"},
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
	stub := setup{bin: "bin", device: stubDevice, mtu: 1024}
	for _, m := range append(s.matches(), stub.matches()...) {
		b := m.bench
		if b.usesDefaults() {
			continue
		}
		shared := testOptions(b, m.setup)
		ours, theirs := m.subject.client(b, 4711, "/tmp"), m.reference.client(b, 4711, "/tmp")
		for _, args := range [][]string{ours, theirs} {
			at := slices.Index(args, shared[0])
			if (at < 0 || !slices.Equal(args[at:at+len(shared)], shared)) && !m.embedded() {
				t.Errorf("%s: %q lacks %q", m, args, shared)
			}
			if !strings.HasSuffix(args[0], "ib_"+b.test()) || args[len(args)-1] != "127.0.0.1" || !slices.Contains(args, "4711") {
				t.Errorf("%s: %q", m, args)
			}
		}
		if slices.Contains(theirs, "--events") != (b.mode == option.ModeEvent) || !slices.Contains(ours, string(b.mode)) {
			t.Errorf("%s: events are not asked for alike: %q, %q", b, ours, theirs)
		}
		if slices.Contains(ours, "--force-data") != (b.mode == option.ModeData) {
			t.Errorf("%s: %q", b, ours)
		}
		if !m.embedded() && slices.Contains(shared, "--inline_size") == b.Fetches() || slices.Contains(shared, "--tx-depth") != (b.Kind == option.KindBandwidth) {
			t.Errorf("%s: %q", b, shared)
		}
	}
}

func TestDefaultsGetOnlyDeviceAndPort(t *testing.T) {
	plain := matching((setup{bin: "bin", device: "rxe0"}).matches(), regexp.MustCompile("defaults"))
	if len(plain) != 1 {
		t.Fatalf("defaults are measured %d times", len(plain))
	}
	for _, p := range []program{plain[0].subject, plain[0].reference} {
		server := p.server(plain[0].bench, 4711, "/tmp")
		if want := []string{"-d", "rxe0", "-p", "4711"}; !slices.Equal(server[1:], want) {
			t.Errorf("%q", server)
		}
		if client := p.client(plain[0].bench, 4711, "/tmp"); !slices.Equal(client, append(server, "127.0.0.1")) {
			t.Errorf("%q", client)
		}
	}
}

// withoutGoal are the matches that compare different things.
var withoutGoal = map[string]bool{
	"write_bw, 1M, poll, shm_whole: ucx_perftest put_bw": true,
	"write_bw, 64K, poll, shm_whole: memcpy":             true,
	"write_bw, 8M, poll, shm_whole: memcpy":              true,
}

func TestEveryMatchSaysWhatItComparesAndHow(t *testing.T) {
	seen := map[string]bool{}
	for _, device := range []string{"rxe0", "shm_whole"} {
		for _, m := range (setup{device: device}).matches() {
			for _, g := range m.goals {
				if definitionOf(m.subject, m.bench, g.metric) == "" || definitionOf(m.reference, m.bench, g.metric) == "" {
					t.Errorf("%s: %s has no definition", m, g.metric)
				}
				if without := withoutGoal[m.String()]; without != (g.ratio == noGoal) || g.ratio < 0 {
					t.Errorf("%s: the goal is %v", m, g.ratio)
				}
			}
			note := m.reference.note(m.bench)
			if note == "" && !isOfWholeRun(m.metric) || device == "rxe0" && m.mode == option.ModeData && !strings.Contains(note, "--force-data") {
				t.Errorf("%s: note is %q", m, note)
			}
			if seen[m.String()] {
				t.Errorf("%s is there twice", m)
			}
			seen[m.String()] = true
		}
	}
	for _, want := range []string{
		"write_bw, 64K, poll, rxe0: perftest", "send_bw, 8, event, rxe0: perftest", "read_bw, 8, poll, rxe0: perftest",
		"write_lat, 2, data, rxe0: perftest", "send_lat, 4K, poll, rxe0: perftest", "read_lat, 2, poll, rxe0: perftest",
		"write_bw -q 1024, 4K, poll, shm_whole: perftest", "write_lat, 8, data, shm_whole: ucx_perftest put_lat",
		"write_bw, 1M, poll, shm_whole: ucx_perftest ucp_put_bw", "send_lat, 8, event, shm_whole: eventfd", "write_lat, 8, data, shm_whole: pingpong",
		"write_bw, 4K, poll, shm_whole: ascending", "write_bw, 64K, poll, shm_whole: memcpy",
	} {
		if !seen[want] {
			t.Errorf("%s is not measured", want)
		}
	}
}
