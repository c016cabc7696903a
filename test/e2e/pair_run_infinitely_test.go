package e2e

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/result"
)

var intervalLine = regexp.MustCompile(`(?m)^ 4096 +\d`)

// TestEndlessRunEndsWithASummary: --run_infinitely prints a line for each interval, and a summary when
// either side gets SIGINT. Both sides end with status 0 and write whole files.
func TestEndlessRunEndsWithASummary(t *testing.T) {
	for _, c := range []struct{ program, who, options string }{
		{"ib_write_bw", "client", ""}, {"ib_send_bw", "server", ""}, {"ib_read_bw", "server", "-b"}, {"ib_write_bw", "client", "--verify"},
	} {
		t.Run(c.program+" "+c.who+" "+c.options, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			server, port := w.serve(c.program, "--out_json_file", "server.json")
			options := []string{"-d", "shm_whole", "-s", "4K", "--run_infinitely", "-D", "0.1", "--out_json_file", "client.json"}
			if c.options != "" {
				options = append(options, c.options)
			}
			client := w.connect(c.program, port, options...)
			intervals := func(side *process) int { return len(intervalLine.FindAllString(side.out.String(), -1)) }
			client.await("three intervals on both sides", func() bool { return min(intervals(client), intervals(server)) >= 3 })
			signalled := client
			if c.who == "server" {
				signalled = server
			}
			signalled.signal(sigInt)
			client.exits(0, stopLimit)
			server.exits(0, stopLimit)
			for _, side := range []string{"client", "server"} {
				f := w.readResult(side + ".json")
				if f.Interrupted || f.Error != "" || len(f.Rows) != 1 {
					t.Fatalf("file of the %s: interrupted %v, error %q, %d rows", side, f.Interrupted, f.Error, len(f.Rows))
				}
				r := f.Rows[0]
				var messages uint64
				var seconds float64
				for _, i := range r.Rounds {
					messages += i.Messages
					seconds += i.Seconds
				}
				if b := r.Bandwidth; len(r.Rounds) < 3 || messages != b.Messages || math.Abs(seconds-b.Seconds) > 1e-6*seconds {
					t.Errorf("%s: %d intervals of %d messages in %v s, the summary has %d in %v", side, len(r.Rounds), messages, seconds, b.Messages, b.Seconds)
				}
			}
		})
	}
}

// TestEndlessRunInJSON: --format json prints a line for each interval and nothing else on either side, which
// ends with status 0 after a signal. The members are those of [result.Interval].
func TestEndlessRunInJSON(t *testing.T) {
	for _, program := range []string{"ib_send_bw", "ib_send_lat"} {
		t.Run(program, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			const format = "--format json --out_json_file "
			server, port := w.serve(program, strings.Fields(format+"server.json")...)
			client := w.connect(program, port, strings.Fields("-d shm_whole -s 4K --run_infinitely -D 0.1 "+format+"client.json")...)
			client.await("three lines on both sides", func() bool { return min(client.lines(), server.lines()) >= 3 })
			client.signal(sigInt)
			client.exits(statusDone, stopLimit)
			server.exits(statusDone, stopLimit)
			for side, proc := range map[string]*process{"client": client, "server": server} {
				f := w.readResult(side + ".json")
				before, messages := time.Time{}, uint64(0)
				for line := range strings.Lines(proc.out.String()) {
					i := wantInterval(t, f, line)
					if !i.Time.After(before) {
						t.Errorf("%s: a line of %v follows one of %v", side, i.Time, before)
					}
					before, messages = i.Time, messages+messagesOf(i.Latency, i.Bandwidth)
				}
				r := f.Rows[0]
				if all, last := messagesOf(r.Latency, r.Bandwidth), r.Rounds[len(r.Rounds)-1].Messages; messages > all || messages+last < all {
					t.Errorf("%s: the lines have %d messages, the run %d, of which the last interval %d", side, messages, all, last)
				}
			}
		})
	}
}

// wantInterval decodes a line about an interval of a run, and checks it.
func wantInterval(t *testing.T, f *result.File, line string) *result.Interval {
	t.Helper()
	i := &result.Interval{}
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(i); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if i.Format != result.IntervalFormat || i.Test != f.Test() || i.Role != f.Role || i.Host == "" || i.Device != "shm_whole" || i.Peer == "" ||
		i.Size != 4096 || i.Mode != f.Rows[0].Mode || i.Warnings == nil || !(i.Seconds > 0) || (i.Latency == nil) == (i.Bandwidth == nil) {
		t.Errorf("%s", line)
	}
	if b := i.Bandwidth; b != nil && (b.Bytes != 4096*b.Messages || math.Abs(float64(b.Bytes)/i.Seconds/b.Average-1) > 0.01 || !(b.MsgRate > 0)) {
		t.Errorf("the rate is not that of %d bytes in %v s: %s", b.Bytes, i.Seconds, line)
	}
	if l := i.Latency; l != nil && !(0 < l.MinNs && l.MinNs <= l.P50Ns && l.P50Ns <= l.P99Ns && l.P99Ns <= l.MaxNs) {
		t.Errorf("percentiles out of order: %s", line)
	}
	return i
}

// messagesOf returns the number of messages of a measurement.
func messagesOf(l *result.Latency, b *result.Bandwidth) uint64 {
	if l != nil {
		return l.N
	}
	return b.Messages
}

// lines returns the number of lines that the process has printed.
func (p *process) lines() int { return strings.Count(p.out.String(), "\n") }

// TestEndlessRunEndsIfItCannotPrint: a side whose reader has ended or whose disk is full ends the run with its
// summary and status 1. The other side ends with status 0.
func TestEndlessRunEndsIfItCannotPrint(t *testing.T) {
	for _, c := range []struct {
		name, format, want string
		stdout             func(*workspace)
	}{
		{"reader", "--format=json", "print results: " + brokenPipe, func(w *workspace) { w.pipeNext(reader{reads: 1}) }},
		{"reader of the text", "--report_gbits", "print results: " + brokenPipe, func(w *workspace) { w.pipeNext(reader{reads: 1}) }},
		{"disk", "--format=json", "print results: write /dev/stdout: no space left on device", (*workspace).fullNext},
		{"file", "--format_file=/dev/full", "write /dev/full: no space left on device", func(*workspace) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkspace(t, "*.json")
			server, port := w.serve("ib_write_bw")
			c.stdout(w)
			options := []string{"-d", "shm_whole", "-s", "4K", "--run_infinitely", "-D", "0.1", "--out_json_file", "client.json", c.format}
			if c.name == "file" {
				options = append(options, "--format=prometheus")
			}
			client := w.connect("ib_write_bw", port, options...)
			client.exits(statusOther, patience)
			server.exits(statusDone, stopLimit)
			client.wantStderr(c.want)
			if n := client.count(c.want); n != 1 {
				t.Errorf("%q %d times: %s", c.want, n, client.err)
			}
			if f := w.readResult("client.json"); f.Interrupted || f.Error != "" || len(f.Rows) != 1 {
				t.Errorf("interrupted %v, error %q, %d rows", f.Interrupted, f.Error, len(f.Rows))
			}
		})
	}
}

// fullNext makes the next process write its output to a full disk.
func (w *workspace) fullNext() {
	w.t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	w.t.Cleanup(func() { _ = full.Close() })
	w.next = func(proc *process) { proc.cmd.Stdout = full }
}

var endOfRun = regexp.MustCompile(`ibperf_end_timestamp_seconds\{.*\} (\S+)\n$`)

// TestEndlessRunRenewsMetrics: a file of metrics is replaced after each interval, so that a reader sees whole
// files only. At the end it has the numbers of the run.
func TestEndlessRunRenewsMetrics(t *testing.T) {
	w := newWorkspace(t, "*.json", "*.prom")
	server, port := w.serve("ib_write_bw")
	client := w.connect("ib_write_bw", port, strings.Fields("-d shm_whole -s 4K --run_infinitely -D 0.1 --format prometheus --format_file run.prom --out_json_file run.json")...)
	read := func() string {
		data, err := os.ReadFile(filepath.Join(w.dir, "run.prom"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
	ends := map[string]bool{}
	client.await("three files of metrics", func() bool {
		text := read()
		if m := endOfRun.FindStringSubmatch(text); m != nil {
			ends[m[1]] = true
		} else if text != "" {
			t.Errorf("a part of a file:\n%s", text)
		}
		return len(ends) >= 3
	})
	client.signal(sigInt)
	client.exits(statusDone, stopLimit)
	server.exits(statusDone, stopLimit)
	average := strconv.FormatFloat(w.readResult("run.json").Rows[0].Bandwidth.Average, 'g', -1, 64)
	if text := read(); !regexp.MustCompile(`(?m)^ibperf_bandwidth_bytes_per_second\{.*\} ` + regexp.QuoteMeta(average) + `$`).MatchString(text) {
		t.Errorf("no average of %s in\n%s", average, text)
	}
	if !intervalLine.MatchString(client.out.String()) {
		t.Errorf("the text is not on stdout: %s", client.out)
	}
}
