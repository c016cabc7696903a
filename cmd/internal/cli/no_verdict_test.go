package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// comparing is an engine that measures data and poll in some runs. Its threads have a fraction of their CPUs'
// time.
func comparing(busy float64, runs int) engine {
	return func(_ context.Context, c harness.Config) error {
		c.File.Parameters = result.Parameters{Plan: c.Plan.Plan(), Extent: result.Extent{Modes: []option.Mode{"data", "poll"}}}
		c.File.Parameters.MTU, c.File.Parameters.Runs = 4096, runs
		c.File.Local.Device.Name = c.Devices[0].Context.Device().Name()
		c.File.Peer = c.File.Local
		c.Begin(harness.Beginning{Rows: 2 * len(c.Plan.Plan().Sizes)})
		for _, size := range c.Plan.Plan().Sizes {
			for i, mode := range c.File.Parameters.Modes {
				r := comparedRow(c.Plan.Plan().Kind, mode, size, float64(1+i), runs)
				r.Warnings = []result.Warning{{ID: result.WarnFewSamples, Text: "few samples"}}
				r.Local = result.Cost{Busy: busy, CPUs: []int{1}}
				r.Peer = r.Local
				c.File.Rows = append(c.File.Rows, r)
				c.Row(r)
			}
		}
		return nil
	}
}

// comparedRow returns a row whose runs differ by up to 2 %.
func comparedRow(kind option.Kind, mode option.Mode, size int, usec float64, runs int) result.Row {
	r := result.Row{Size: size, Mode: mode, Opcode: "RDMA_WRITE"}
	if kind == option.KindLatency {
		r.Latency = tenSamples()
	} else {
		r.Bandwidth = &result.Bandwidth{Messages: 10, Bytes: 1000, Seconds: 1, Average: 1000, MeasuredAt: "sender"}
	}
	for run := range runs {
		ns := usec * 1000 * (1 + 0.01*float64(run%3))
		r.Rounds = append(r.Rounds, result.Round{Run: run + 1, Messages: 10, Seconds: 0.01})
		if at := &r.Rounds[run]; kind == option.KindLatency {
			at.P50Ns, at.MeanNs = ns, ns
		} else {
			at.Average = 1e9 / ns
		}
	}
	return r
}

// A comparison that allows no verdict says so and is complete. Only the client has the status.
func TestNoVerdictIsTheClientsStatus(t *testing.T) {
	const starved = "NO VERDICT: the measuring thread on CPU 1 had 48 % of its CPU's time (limit 90 %)"
	wrong := func(ctx context.Context, c harness.Config) error {
		return errors.Join(comparing(0.48, 5)(ctx, c), &harness.DataError{})
	}
	for _, c := range []struct {
		name, args string
		engine     engine
		status     int
		says       string // in one of the client's outputs
	}{
		{"steady", "--compare", comparing(0.99, 5), StatusDone, ""},
		{"starved", "--compare", comparing(0.48, 5), StatusUnclear, starved},
		{"for programs", "--compare --format json", comparing(0.48, 5), StatusUnclear, starved + ". Stop other work on CPU 1"},
		{"too few", "--compare", comparing(0.99, 2), StatusUnclear, "NO VERDICT: 2 runs are too few for intervals"},
		{"one mode", "--completion poll", comparing(0.48, 5), StatusDone, ""},
		{"wrong data", "--compare", wrong, StatusData, ""},
	} {
		path := filepath.Join(t.TempDir(), "out.json")
		_, client, serverErr, clientErr := run(t, writeLat, c.engine, "", "-d shm_whole -s 8 --out_json_file "+path+" "+c.args)
		if got := Status(clientErr); got != c.status {
			t.Errorf("%s: status %d, want %d: %v", c.name, got, c.status, clientErr)
		}
		if want := map[int]int{StatusData: StatusData}[c.status]; Status(serverErr) != want {
			t.Errorf("%s: the server's status is %d, want %d", c.name, Status(serverErr), want)
		}
		said := strings.Join(strings.Fields(client.out.String()), " ")
		if rest := unprinted(clientErr); rest != nil {
			said += rest.Error()
		}
		if n := strings.Count(said, "NO VERDICT"); !strings.Contains(said, c.says) || c.status == StatusDone && n > 0 || c.status == StatusUnclear && n != 1 {
			t.Errorf("%s: the client said\n%s\nwant %q", c.name, said, c.says)
		}
		if f, err := result.Read(path); err != nil || len(f.Rows) != 2 || f.Error != "" && c.status != StatusData {
			t.Errorf("%s: the result file: %v", c.name, err)
		}
	}
}

// ib_compare leaves all files without a verdict. The status of a test that has failed matters more.
func TestNoVerdictOfAllTests(t *testing.T) {
	for status, engine := range map[int]engine{
		StatusDone:    comparing(0.99, 5),
		StatusUnclear: comparing(0.48, 5),
		StatusDevice: func(ctx context.Context, c harness.Config) error {
			if c.Plan.Plan().QPs == 64 {
				return &harness.DeviceError{Err: errors.New("trouble")}
			}
			return comparing(0.48, 5)(ctx, c)
		},
	} {
		c := startWith(t, engine, engine, "-s", "8", "--runs", "1")
		if got := Status(c.client.end(t)); got != status {
			t.Errorf("status %d, want %d", got, status)
		}
		_ = c.server.end(t)
		if text := c.client.out.String(); strings.Contains(text, "NO VERDICT: the measuring thread on CPU 1 had 48 %") != (status != StatusDone) {
			t.Errorf("status %d: the client printed %s", status, text)
		}
		for _, name := range []string{"index.html", "report.txt", "write-lat.json", "plot.svg"} {
			if _, err := os.Stat(filepath.Join(c.dir, name)); err != nil {
				t.Errorf("status %d: %v", status, err)
			}
		}
	}
}

// A comparison prints its rows, ratios and the verdict, and with --details the tables of each row and all
// answers. Its warnings are on stderr. The report has the details in any case.
func TestDetailsOfAComparison(t *testing.T) {
	const answer, table = "May I rely on it?", "Work and cost"
	for args, want := range map[string]bool{"": false, "--details": true} {
		_, client, _, err := run(t, writeLat, comparing(0.99, 5), "", "-d shm_whole -s 8 --compare "+args)
		text := client.out.String()
		if err != nil || strings.Contains(text, table) != want || strings.Contains(text, answer) != want || !strings.Contains(text, "side by side") {
			t.Errorf("%q: %v\n%s", args, err, text)
		}
		if strings.Contains(text, "WARNING") || !strings.Contains(client.err.String(), "WARNING") {
			t.Errorf("%q: warnings on stdout, or none: %s", args, client.err)
		}
		c := startWith(t, comparing(0.99, 5), comparing(0.99, 5), append(strings.Fields(args), "-s", "8", "--runs", "1")...)
		if err := c.client.end(t); err != nil {
			t.Error(err)
		}
		if text := c.client.out.String(); strings.Contains(text, answer) != want {
			t.Errorf("ib_compare %s printed\n%s", args, text)
		}
		report, err := os.ReadFile(filepath.Join(c.dir, "report.txt"))
		if err != nil || !strings.Contains(string(report), answer) {
			t.Errorf("ib_compare %s: the report lacks %q, %v", args, answer, err)
		}
	}
}
