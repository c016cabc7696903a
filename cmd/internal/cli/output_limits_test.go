package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// halfBusy is an engine that measures as quick does. All sides keep a core busy for half of the time, and have a link of
// twice the rate.
func halfBusy(_ context.Context, c harness.Config) error {
	begin(c)
	c.File.Local.Device.LinkRate = 2000
	for _, size := range c.Plan.Plan().Sizes {
		addRow(c, size)
		r := &c.File.Rows[len(c.File.Rows)-1]
		r.Local.Busy, r.Peer.Busy = 0.5, 0.5
	}
	return nil
}

// A missed limit is the status of its side, and one line. Rows have 1 usec, 8e-6 Gb/s.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		test   option.Test
		args   string
		missed string // empty: none
	}{
		{writeLat, "--max-lat p99=1us --max-lat mean=1us --max-busy 50%", ""},
		{writeLat, "--max-lat p99=1us,max=999ns", "8 bytes, mode poll: max 1.000 usec exceeds --max-lat max=999ns by 0.1 %"},
		{writeLat, "--max-lat p99=500ns", "8 bytes, mode poll: p99 1.000 usec exceeds --max-lat p99=500ns by 100 %"},
		{writeLat, "--max-lat p99=500ns --max-lat p99=1us", ""},
		{writeLat, "--max-busy 40%", "8 bytes, mode poll: core busy 50.0 % on the busier side exceeds --max-busy 40% by 10 percentage points"},
		{writeBW, "--min-bw 0.000008G -w 0.0009", ""},
		{writeBW, "--min-bw 1Gb/s", "8 bytes, mode poll: average 0.000008 Gb/s is below --min-bw 1G by 100 %"},
		{writeBW, "--min-bw 50% -d fake1", ""},
		{writeBW, "--min-bw 60% -d fake1", "8 bytes, mode poll: average 0.000008 Gb/s is below --min-bw 60% by 17 %"},
		{writeBW, "--max-busy 49.9", "8 bytes, mode poll: core busy 50.0 % at the receiver exceeds --max-busy 49.9% by 0.1 percentage points"},
		{writeBW, "-w 1", "8 bytes, mode poll: average 0.00 MiB/s is below --limit_bw 1 by 100 %"},
	} {
		path := filepath.Join(t.TempDir(), "out.json")
		if !strings.Contains(c.args, "-d ") {
			c.args += " -d shm_whole"
		}
		_, client, serverErr, err := run(t, c.test, halfBusy, "", "-s 8 --out_json_file "+path+" "+c.args)
		if c.missed == "" {
			wantEnd(t, c.args, err, StatusDone)
		} else if wantEnd(t, c.args, err, StatusLimit); err != nil && err.Error() != c.missed {
			t.Errorf("%s: %q, want %q", c.args, err, c.missed)
		}
		wantEnd(t, "server", serverErr, StatusDone)
		f, readErr := result.Read(path)
		if readErr != nil || len(f.RowLimits) == 0 || f.Error != "" || missedRows(f) > 0 != (c.missed != "") || !strings.Contains(client.out.String(), "Test") {
			t.Errorf("%s: the file has limits %+v, %v, and the client printed\n%s", c.args, f.RowLimits, readErr, client.out)
		}
	}
}

// missedRows counts the rows that missed limits.
func missedRows(f *result.File) (n int) {
	for _, l := range f.RowLimits {
		n += l.Missed
	}
	return n
}

// Each limit that was missed has one line. A server has limits of its own.
func TestLimitsOfAServer(t *testing.T) {
	_, _, serverErr, clientErr := run(t, writeLat, halfBusy, "--max-lat p50=10ns,p90=1s,p99=10ns --max-busy 1%", "-d shm_whole -s 8,16")
	wantEnd(t, "client", clientErr, StatusDone)
	wantEnd(t, "server", serverErr, StatusLimit, "--max-lat p50=10ns by", "--max-lat p99=10ns by", "--max-busy 1% by", "; missed by 2 of 2 rows")
	if n := strings.Count(serverErr.Error(), "\n"); n != 2 {
		t.Errorf("%d lines: %v", n+1, serverErr)
	}
}

// In a comparison every row must meet the limits, and the line has the interval.
func TestLimitsOfAComparison(t *testing.T) {
	for args, want := range map[string]string{
		"--max-lat p50=2.1us":  "",
		"--max-lat p50=1.5us":  "8 bytes, mode poll: p50 2.016 [1.995-2.037] usec exceeds --max-lat p50=1.5us by 34 %; missed by 1 of 2 rows",
		"--max-lat p50=2010ns": "8 bytes, mode poll: p50 2.016 [1.995-2.037] usec exceeds --max-lat p50=2.01us by 0.3 %; not certain: the limit is within the interval; missed by 1 of 2 rows",
	} {
		_, _, _, err := run(t, writeLat, comparing(0.99, 5), "", "-d shm_whole -s 8 --compare "+args)
		if want == "" {
			wantEnd(t, args, err, StatusDone)
		} else if wantEnd(t, args, err, StatusLimit); err != nil && err.Error() != want {
			t.Errorf("%s: %q, want %q", args, err, want)
		}
	}
}

// A run that fails has the status of its failure, whatever its rows are. Wrong data matters more than a limit.
func TestLimitsOfAFailedRun(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		noted  int
	}{
		{&harness.DataError{}, StatusData, 1}, {&harness.DeviceError{Err: context.DeadlineExceeded}, StatusDevice, 0},
	} {
		path := filepath.Join(t.TempDir(), "out.json")
		fail := func(ctx context.Context, cfg harness.Config) error {
			_ = halfBusy(ctx, cfg)
			return c.err
		}
		_, _, _, err := run(t, writeLat, fail, "", "-d shm_whole --max-lat p99=1ns --out_json_file "+path)
		wantEnd(t, "client", err, c.status)
		if f, err := result.Read(path); err != nil || len(f.RowLimits) != c.noted {
			t.Errorf("status %d: the file has limits %+v, %v", c.status, f.RowLimits, err)
		}
	}
}

func TestLimitsAreParsed(t *testing.T) {
	for _, c := range []struct {
		test       option.Test
		args, want string
	}{
		{writeLat, "--max-lat p99=0us", "--max-lat p99=0us: write a time above 0 with its unit, such as p99=10us"},
		{writeLat, "--max-lat p99=-5us", "write a time above 0"},
		{writeLat, "--max-lat p99=NaN", "write a time above 0"},
		{writeLat, "--max-lat p99=5", "write a time above 0 with its unit"},
		{writeLat, "--max-lat p95=5us", `there is no figure "p95": choose one of min, mean, stdev, p50, p90, p99, p99.9, p99.99, max`},
		{writeLat, "--max-lat 5us", "write FIGURE=TIME, such as p99=10us"},
		{writeLat, "--max-lat p50=5us --max-lat p99", "--max-lat p99: write FIGURE=TIME"},
		{writeLat, "--max-lat p99=5us --noPeak", "--max-lat: with --noPeak only the mean is measured"},
		{writeLat, "--min-bw 350G", "--min-bw is an option of the bandwidth tests: this program does not have it"},
		{writeBW, "--max-lat p99=5us", "--max-lat is an option of the latency tests: this program does not have it"},
		{writeBW, "--min-bw 0", "--min-bw 0: write a number of Gb/s above 0, such as 350G"},
		{writeBW, "--min-bw -3G", "write a number of Gb/s above 0"},
		{writeBW, "--min-bw NaN", "write a number of Gb/s above 0"},
		{writeBW, "--min-bw 350MiB/s", "write a number of Gb/s above 0"},
		{writeBW, "--min-bw 0%", "write a percentage above 0 and up to 100, such as 50%"},
		{writeBW, "--min-bw 101%", "write a percentage above 0 and up to 100"},
		{writeBW, "--max-busy 0", "--max-busy 0: write a percentage above 0 and up to 100, such as 50%"},
		{writeBW, "--max-busy 100.5%", "write a percentage above 0 and up to 100"},
		{writeBW, "--max-busy -1%", "write a percentage above 0"},
		{writeBW, "--max-busy NaN", "write a percentage above 0"},
		{writeBW, "--limit_bw NaN", "write a number above 0"},
	} {
		if _, err := parse(c.test, strings.Fields(c.args)); Status(err) != StatusUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.test.Program(), c.args, err, c.want)
		}
	}
	for args, want := range map[string]string{
		"--max-lat p99=5us --max-lat mean=2us,max=1ms": "p99=5us,mean=2us,max=1ms",
		"--max-lat p99=5us,p50=1us --max-lat p99=6us":  "p50=1us,p99=6us",
		"--max-lat mean=5us --noPeak":                  "mean=5us",
	} {
		if o, err := parse(writeLat, strings.Fields(args)); err != nil || option.Find("max-lat").Text(&o.Settings) != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// A percentage needs a device whose link rate is known. A client and a server with a named device end before they
// connect, another server when it has chosen its device.
func TestShareOfAnUnknownLinkRate(t *testing.T) {
	const unknown = "--min-bw 90%%: the link rate of port 1 of device %s is not known: write a rate, such as 350G"
	for args, device := range map[string]string{
		"-d shm_whole --min-bw 90% 127.0.0.1 -p 1": "shm_whole", "-d fake0 --min-bw 90% 127.0.0.1 -p 1": "fake0", "-d fake0 --min-bw 90% --persistent": "fake0",
	} {
		wantEnd(t, args, start(t, writeBW, halfBusy, strings.Fields(args)...).end(t), StatusUsage, fmt.Sprintf(unknown, device))
	}
	_, _, serverErr, clientErr := run(t, writeBW, halfBusy, "--min-bw 90%", "-d shm_whole")
	wantEnd(t, "server", serverErr, StatusUsage, fmt.Sprintf(unknown, "shm_whole"))
	wantEnd(t, "client", clientErr, StatusUsage, fmt.Sprintf(unknown, "shm_whole"))
}
