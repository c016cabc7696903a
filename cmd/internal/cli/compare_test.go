package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/result"
)

// drawn draws one empty plot.
func drawn(dir string, _ []*result.File) ([]page.Figure, error) {
	f := page.Figure{Name: "plot", Title: "plot", PNG: filepath.Join(dir, "plot.png"), SVG: filepath.Join(dir, "plot.svg")}
	return []page.Figure{f}, errors.Join(os.WriteFile(f.PNG, nil, 0o666), os.WriteFile(f.SVG, []byte("<svg></svg>"), 0o666))
}

// startCompare runs ib_compare with an engine of the test's.
func startCompare(t *testing.T, run engine, args ...string) *program {
	p := newProgram(t)
	return p.goes(func(ctx context.Context) error {
		return p.app(option.CompareProgram, run, args).compare(ctx, args, drawn)
	})
}

// comparison is a client and a server of ib_compare, and their folder.
type comparison struct {
	server, client *program
	port, dir      string
}

func startBoth(t *testing.T, run engine, args ...string) comparison {
	t.Helper()
	return startWith(t, quick, run, args...)
}

func startWith(t *testing.T, server, run engine, args ...string) comparison {
	t.Helper()
	c := comparison{dir: filepath.Join(t.TempDir(), "new", "out"), server: startCompare(t, server, serverArgs()...)}
	c.port = c.server.port(t)
	c.client = startCompare(t, run, append([]string{"-p", c.port, "127.0.0.1", "-d", "shm_whole", "--runs", "2", "--dir", c.dir}, args...)...)
	return c
}

// base returns the plan that all runs of a comparison without options have in common.
func base() *option.Plan {
	p := option.Plan{Sizes: option.AllSizes()}
	return &p
}

// counted is an engine that counts its calls for each program and number of QPs.
func counted(run engine) (engine, func(program string, qps int) int) {
	type key struct {
		program string
		qps     int
	}
	var mu sync.Mutex
	calls := map[key]int{}
	return func(ctx context.Context, c harness.Config) error {
			mu.Lock()
			calls[key{c.Plan.Plan().Program(), c.Plan.Plan().QPs}]++
			mu.Unlock()
			return run(ctx, c)
		}, func(program string, qps int) int {
			mu.Lock()
			defer mu.Unlock()
			return calls[key{program, qps}]
		}
}

// The result of each test is of all runs. One that has failed is not repeated.
func TestResultsAreOfAllRuns(t *testing.T) {
	engine, calls := counted(failing("ib_write_bw", 64, &harness.DeviceError{Err: errors.New("trouble")}))
	c := startBoth(t, engine, "-s", "8", "--runs", "4", "-D", "400ms", "--seed", "7")
	wantEnd(t, "client", c.client.end(t), StatusDevice, "ib_write_bw with 64 QPs: trouble")
	for _, p := range writtenParts(&option.Plan{Sizes: []int{8}, Runs: 4}) {
		f, err := result.Read(filepath.Join(c.dir, p.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		n := len(f.Rows)
		if p.Plan.QPs == 64 && p.Plan.Kind == option.KindBandwidth {
			if n != 0 || f.Error != "trouble" || calls("ib_write_bw", 64) != 1 {
				t.Errorf("%s: %d rows, error %q, measured %d times", p.Name, n, f.Error, calls("ib_write_bw", 64))
			}
			if f.Peer.Libraries == nil {
				t.Errorf("%s: the libraries of the peer are null, which the schema does not allow", p.Name)
			}
			continue
		}
		if f.Parameters.Runs != p.Plan.Runs || f.Parameters.Seed != 7 || f.Parameters.Duration.Round(time.Millisecond) != 400*time.Millisecond || n == 0 {
			t.Errorf("%s: %d of %d runs, seed %d, %v, %d rows", p.Name, f.Parameters.Runs, p.Plan.Runs, f.Parameters.Seed, f.Parameters.Duration, n)
		}
		if l := f.Rows[0].Latency; l != nil && l.N != 10*uint64(p.Plan.Runs) {
			t.Errorf("%s: %d samples", p.Name, l.N)
		}
	}
	if text := c.client.err.String(); !strings.Contains(text, "run 4 of 4") || strings.Count(text, "test 1 of 36") != 1 {
		t.Errorf("the client printed %s", text)
	}
	if text := c.server.err.String(); !strings.Contains(text, "run 4 of 4") || strings.Count(text, "test 1 of 36") != 1 {
		t.Errorf("the server printed %s", text)
	}
}

// Both sides know how many runs have gone before, which their order of queues depends on.
func TestBothSidesCountTheRuns(t *testing.T) {
	var mu sync.Mutex
	before := map[harness.Role][]int{}
	engine := func(ctx context.Context, c harness.Config) error {
		mu.Lock()
		if all := before[c.Role]; !slices.Contains(all, c.RunsBefore) {
			before[c.Role] = append(all, c.RunsBefore)
		}
		mu.Unlock()
		return quick(ctx, c)
	}
	c := startWith(t, engine, engine, "-s", "8", "--runs", "3")
	if err := c.client.end(t); err != nil {
		t.Fatal(err)
	}
	for _, role := range []harness.Role{harness.Client, harness.Server} {
		if !slices.Equal(before[role], []int{0, 1, 2}) {
			t.Errorf("role %v: runs before are %v", role, before[role])
		}
	}
}

// An end in a later run keeps what the runs before and the begun run have measured.
func TestInterruptedInALaterRun(t *testing.T) {
	second := make(chan bool)
	lats := 0
	c := startWith(t, untilLostIn(2), func(ctx context.Context, c harness.Config) error {
		if p := c.Plan.Plan(); p.Op == option.OpWrite && p.Kind == option.KindBandwidth && p.QPs == 1 && !p.Verify && len(p.Sizes) == 2 {
			if lats++; lats == 2 {
				begin(c)
				addRow(c, 8)
				close(second)
				<-ctx.Done()
				c.File.Interrupted = true
				return harness.ErrInterrupted
			}
		}
		return quick(ctx, c)
	}, "-s", "8,64", "--runs", "3")
	<-second
	c.client.cancel(&interruptedError{"SIGINT"})
	wantEnd(t, "client", c.client.end(t), StatusOther, "interrupted by SIGINT", "the results of 28 tests are in "+c.dir)
	_ = c.server.end(t)
	for name, want := range map[string]struct {
		n           uint64
		interrupted bool
	}{"write-lat": {20, false}, "write-bw": {20, true}, "send-lat": {10, false}} {
		f, err := result.Read(filepath.Join(c.dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		r := &f.Rows[0]
		n := uint64(0)
		if r.Latency != nil {
			n = r.Latency.N
		} else {
			n = r.Bandwidth.Messages
		}
		if n != want.n || f.Interrupted != want.interrupted {
			t.Errorf("%s: %d messages, interrupted %v", name, n, f.Interrupted)
		}
	}
}

// untilLostIn is an engine of a server that waits for the loss of its peer in the n-th run of write_bw of
// two sizes.
func untilLostIn(n int) engine {
	count := 0
	return func(ctx context.Context, c harness.Config) error {
		if p := c.Plan.Plan(); p.Op == option.OpWrite && p.Kind == option.KindBandwidth && p.QPs == 1 && !p.Verify && len(p.Sizes) == 2 {
			if count++; count == n {
				return untilLost(ctx, c)
			}
		}
		return quick(ctx, c)
	}
}

// failing is an engine that fails at one test with an error.
func failing(program string, qps int, err error) engine {
	return func(ctx context.Context, c harness.Config) error {
		if c.Plan.Plan().Program() == program && c.Plan.Plan().QPs == qps {
			return err
		}
		return quick(ctx, c)
	}
}

func TestRunThatFailsIsNotTheEnd(t *testing.T) {
	trouble := &harness.DeviceError{Err: errors.New("too many QPs for it")}
	c := startBoth(t, failing("ib_write_bw", 1024, trouble))
	wantEnd(t, "client", c.client.end(t), StatusDevice, "ib_write_bw with 1024 QPs: too many QPs for it")
	f, err := result.Read(filepath.Join(c.dir, "write-bw-qps-1024.json"))
	if err != nil || f.Error != "too many QPs for it" || f.Parameters.QPs != 1024 || f.Program != "ib_write_bw" {
		t.Errorf("its file: %+v, %v", f, err)
	}
	if names := filesIn(t, c.dir); len(names) != len(writtenParts(base()))+5 { // page, report, verdict, a plot in two formats
		t.Errorf("%d files are left: %v", len(names), names)
	}
}

// untilLost is an engine that returns when its peer is lost.
func untilLost(_ context.Context, c harness.Config) error {
	<-c.Peer.Lost()
	return c.Peer.Err()
}

// A run that fails at the server does not end the series, and does not count as a lost peer.
func TestRunThatFailsAtTheServerIsNotTheEnd(t *testing.T) {
	trouble := failing("ib_write_lat", 1024, &harness.DeviceError{Err: errors.New("not enough memory")})
	c := startWith(t, trouble, func(ctx context.Context, c harness.Config) error {
		if c.Plan.Plan().Kind == option.KindLatency && c.Plan.Plan().QPs == 1024 {
			return untilLost(ctx, c)
		}
		return quick(ctx, c)
	})
	wantEnd(t, "client", c.client.end(t), StatusPeer, "ib_write_lat with 1024 QPs", "not enough memory")
	wantEnd(t, "server", c.server.end(t), StatusDevice, "not enough memory")
	if names := filesIn(t, c.dir); len(names) != len(writtenParts(base()))+5 { // page, report, verdict, a plot in two formats
		t.Errorf("%d files are left: %v", len(names), names)
	}
}

// Wrong data decides the status, even with other errors.
func TestWrongDataIsTheStatus(t *testing.T) {
	c := startBoth(t, func(ctx context.Context, c harness.Config) error {
		if c.Plan.Plan().Verify {
			return errors.Join(quick(ctx, c), &harness.DataError{})
		}
		return failing("ib_write_bw", 1024, &harness.DeviceError{Err: errors.New("trouble")})(ctx, c)
	})
	wantEnd(t, "client", c.client.end(t), StatusData, "trouble")
}

// A stopped client ends its server too, as it makes no more runs.
func TestServerEndsWithAStoppedClient(t *testing.T) {
	arrived := make(chan bool, 1)
	wait := func(ctx context.Context, c harness.Config) error {
		arrived <- true
		<-ctx.Done()
		return harness.ErrInterrupted
	}
	c := startWith(t, untilLost, wait)
	<-arrived
	c.client.cancel(&interruptedError{"SIGINT"})
	wantEnd(t, "client", c.client.end(t), StatusOther, "interrupted by SIGINT")
	wantEnd(t, "server", c.server.end(t), StatusPeer, "interrupted by SIGINT")
}

// The verdict is printed even if a plot cannot be drawn.
func TestVerdictIsThereWithoutPlots(t *testing.T) {
	client := newProgram(t)
	server := startCompare(t, quick, serverArgs()...)
	client.goes(func(ctx context.Context) error {
		return client.app(option.CompareProgram, quick, nil).compare(ctx,
			[]string{"-p", server.port(t), "127.0.0.1", "-d", "shm_whole", "--runs", "2", "--dir", t.TempDir()},
			func(string, []*result.File) ([]page.Figure, error) { return nil, errors.New("no space left") })
	})
	wantEnd(t, "client", client.end(t), StatusOther, "no space left")
	if !strings.Contains(client.out.String(), "VERDICT") {
		t.Errorf("the client printed %q", client.out)
	}
}

func TestComparisonEndsAtOnceIf(t *testing.T) {
	trouble := &harness.DeviceError{Err: errors.New("no device")}
	c := startBoth(t, failing("ib_write_lat", 1, trouble))
	wantEnd(t, "the first run fails", c.client.end(t), StatusDevice, "no device")
	if got := filesIn(t, c.dir); len(got) != 0 {
		t.Errorf("the first run fails: there are %q", got)
	}
	lost := &oob.PeerError{Peer: "127.0.0.1:1", Reason: "is gone"}
	c = startBoth(t, failing("ib_send_bw", 1, lost))
	wantEnd(t, "the peer is lost", c.client.end(t), StatusPeer, "is gone", "the results of 3 tests are in "+c.dir, "ib_report -o "+c.dir+" "+filepath.Join(c.dir, "write-lat.json"))
	if got := filesIn(t, c.dir); !slices.Equal(got, []string{"send-lat.json", "write-bw.json", "write-lat.json"}) {
		t.Errorf("the peer is lost: there are %q", got)
	}
}

func TestServerOfASeries(t *testing.T) {
	arrived, goOn := make(chan bool, 2), make(chan bool)
	slow := func(ctx context.Context, c harness.Config) error {
		if c.Plan.Plan().Op == option.OpSend && c.Plan.Plan().Kind == option.KindLatency {
			arrived <- true
			<-goOn
		}
		return quick(ctx, c)
	}
	c := startWith(t, slow, slow, "--runs", "1")
	<-arrived
	other := start(t, writeLat, quick, "-p", c.port, "-d", "shm_whole", "--connect-timeout", "300ms", "127.0.0.1")
	wantEnd(t, "another client", other.end(t), StatusPeer, "serves one client")
	close(goOn)
	wantEnd(t, "client", c.client.end(t), StatusDone)
	wantEnd(t, "server", c.server.end(t), StatusDone)
}

func TestServerGivesUpAClientThatStaysAway(t *testing.T) {
	server := newProgram(t)
	server.goes(func(ctx context.Context) error {
		a := server.app(option.CompareProgram, quick, nil)
		a.seriesPause = 300 * time.Millisecond
		return a.compare(ctx, serverArgs(), drawn)
	})
	lost := failing("ib_write_lat", 1, &oob.PeerError{Peer: "127.0.0.1:1", Reason: "is gone"})
	client := startCompare(t, lost, "-p", server.port(t), "127.0.0.1", "-d", "shm_whole", "--dir", t.TempDir())
	wantEnd(t, "client", client.end(t), StatusPeer)
	wantEnd(t, "server", server.end(t), StatusPeer, "did not connect within 300ms")
}

func TestCompareRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"-s 64", "--size is an option of the client", StatusUsage},
		{"--dir x", "--dir is an option of the client", StatusUsage},
		{"--persistent 127.0.0.1", "--persistent is an option of the server", StatusUsage},
		{"--qp 4 127.0.0.1", "--qp is an option of the tests", StatusUsage},
		{"--compare 127.0.0.1", "--compare is an option of the tests", StatusUsage},
		{"--offset 128 127.0.0.1", "--offset 128", StatusUsage},
		{"--against none 127.0.0.1", "--against none: no program ib_compare is in this folder", StatusUsage},
		{"--against none", "--against none: no program ib_compare is in this folder", StatusUsage},
		{"--against none --persistent", "--persistent and --against exclude each other", StatusUsage},
		{"--against none --rate-sweep 127.0.0.1", "--against", StatusUsage},
		{"--rate-sweep -c UD 127.0.0.1", "--rate-sweep needs a transport that loses and reorders nothing", StatusUsage},
		{"--bundle x.zip 127.0.0.1", "name a file that ends in .tar.gz", StatusUsage},
		{"-d shm_whole --dir " + file + " 127.0.0.1", "create folder " + file, StatusOther},
		{"--bundle /none/x.tgz --dir " + t.TempDir() + " -d shm_whole 127.0.0.1", "create the folder /none first", StatusOther},
	} {
		p := startCompare(t, quick, strings.Fields(c.args)...)
		wantEnd(t, c.args, p.end(t), c.status, c.want)
	}
}

func TestCompareHelp(t *testing.T) {
	p := startCompare(t, quick, "--help")
	wantEnd(t, "help", p.end(t), StatusDone)
	for _, want := range []string{"ib_compare [options] HOST", "--dir=<DIR>", "--bundle=<FILE>", "--size", "--ib-dev", "Exit status:", "7  this build is slower than that of --against", "(default 5, with"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("help lacks %q", want)
		}
	}
	for _, none := range []string{"--compare", "--iters", "--out_json"} {
		if strings.Contains(p.out.String(), none) {
			t.Errorf("help has %q", none)
		}
	}
	checkWidth(t, p.out.String(), helpWidth)
}
