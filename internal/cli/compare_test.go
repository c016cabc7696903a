package cli

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/compare"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/result"
)

// drawn is a way to draw that makes one plot of nothing.
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

// comparison is both sides at work, and what they have in common.
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
	c.client = startCompare(t, run, append([]string{"-p", c.port, "127.0.0.1", "-d", "shm_whole", "--dir", c.dir}, args...)...)
	return c
}

// base is what the runs of a comparison have in common without options.
func base() *option.Plan {
	p := option.Plan{Sizes: option.AllSizes()}
	return &p
}

func TestComparisonLeaves(t *testing.T) {
	bundle := filepath.Join(t.TempDir(), "all.tar.gz")
	c := startBoth(t, quick, "-s", "8,64,4K", "--bundle", bundle)
	wantEnd(t, "client", c.client.end(t), StatusDone)
	wantEnd(t, "server", c.server.end(t), StatusDone)
	if text := c.client.out.String(); !strings.Contains(text, "VERDICT") {
		t.Errorf("the client printed %q", text)
	}
	if text := c.server.out.String(); text != "" {
		t.Errorf("the server printed %q", text)
	}
	want := []string{"index.html", "report.txt", "caps-client.json", "caps-server.json"}
	for _, r := range compare.Runs(base()) {
		want = append(want, r.Name+".json")
	}
	slices.Sort(want)
	if got := packed(t, bundle); !slices.Equal(got, want) {
		t.Errorf("the bundle has %q, want %q", got, want)
	}
	want = append(want, "plot.png", "plot.svg")
	slices.Sort(want)
	if got := filesIn(t, c.dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// packed lists the files of a bundle.
func packed(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unpacked)
	for {
		head, err := archive.Next()
		if err == io.EOF {
			slices.Sort(names)
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		name, inside := strings.CutPrefix(head.Name, "ib_compare/")
		if data, err := io.ReadAll(archive); !inside || err != nil || len(data) == 0 {
			t.Errorf("%s has %d bytes, %v", head.Name, len(data), err)
		}
		names = append(names, name)
	}
}

// failing is an engine that fails at one test with an error.
func failing(program string, qps int, err error) engine {
	return func(ctx context.Context, c harness.Config) error {
		if c.Plan.Program() == program && c.Plan.QPs == qps {
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
	if n := len(filesIn(t, c.dir)); n != len(compare.Runs(base()))+4 {
		t.Errorf("%d files are left", n)
	}
}

// untilLost is an engine that waits for the end of its peer.
func untilLost(_ context.Context, c harness.Config) error {
	<-c.Peer.Lost()
	return c.Peer.Err()
}

// A failure on the server's side is one run's, too, and is not taken for a lost peer.
func TestRunThatFailsAtTheServerIsNotTheEnd(t *testing.T) {
	trouble := failing("ib_write_lat", 1024, &harness.DeviceError{Err: errors.New("no memory for so many")})
	c := startWith(t, trouble, func(ctx context.Context, c harness.Config) error {
		if c.Plan.Kind == option.KindLatency && c.Plan.QPs == 1024 {
			return untilLost(ctx, c)
		}
		return quick(ctx, c)
	})
	wantEnd(t, "client", c.client.end(t), StatusPeer, "ib_write_lat with 1024 QPs", "no memory for so many")
	wantEnd(t, "server", c.server.end(t), StatusDevice, "no memory for so many")
	if n := len(filesIn(t, c.dir)); n != len(compare.Runs(base()))+4 {
		t.Errorf("%d files are left", n)
	}
}

// Wrong data is what the status tells, whatever else went wrong.
func TestWrongDataIsTheStatus(t *testing.T) {
	c := startBoth(t, func(ctx context.Context, c harness.Config) error {
		if c.Plan.Verify {
			return errors.Join(quick(ctx, c), &harness.DataError{})
		}
		return failing("ib_write_bw", 1024, &harness.DeviceError{Err: errors.New("trouble")})(ctx, c)
	})
	wantEnd(t, "client", c.client.end(t), StatusData, "trouble")
}

// A client that is stopped takes its server along: it makes no more runs.
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

// What cannot be drawn does not take the verdict away.
func TestVerdictIsThereWithoutPlots(t *testing.T) {
	client := newProgram(t)
	server := startCompare(t, quick, serverArgs()...)
	client.goes(func(ctx context.Context) error {
		return client.app(option.CompareProgram, quick, nil).compare(ctx,
			[]string{"-p", server.port(t), "127.0.0.1", "-d", "shm_whole", "--dir", t.TempDir()},
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
	wantEnd(t, "the peer is lost", c.client.end(t), StatusPeer, "is gone", "the results of 3 runs are in "+c.dir, "ib_report -o "+c.dir+" "+filepath.Join(c.dir, "write-lat.json"))
	if got := filesIn(t, c.dir); !slices.Equal(got, []string{"send-lat.json", "write-bw.json", "write-lat.json"}) {
		t.Errorf("the peer is lost: there are %q", got)
	}
}

func TestServerOfASeries(t *testing.T) {
	arrived, goOn := make(chan bool, 2), make(chan bool)
	slow := func(ctx context.Context, c harness.Config) error {
		if c.Plan.Op == option.OpSend && c.Plan.Kind == option.KindLatency {
			arrived <- true
			<-goOn
		}
		return quick(ctx, c)
	}
	c := startWith(t, slow, slow)
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
		a.away = 300 * time.Millisecond
		return a.compare(ctx, serverArgs(), drawn)
	})
	lost := failing("ib_write_lat", 1, &oob.PeerError{Peer: "127.0.0.1:1", Reason: "is gone"})
	client := startCompare(t, lost, "-p", server.port(t), "127.0.0.1", "-d", "shm_whole", "--dir", t.TempDir())
	wantEnd(t, "client", client.end(t), StatusPeer)
	wantEnd(t, "server", server.end(t), StatusPeer, "did not come back within 300ms")
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
		{"--qp 4 127.0.0.1", "--qp is of the tests", StatusUsage},
		{"--compare 127.0.0.1", "--compare is of the tests", StatusUsage},
		{"--offset 128 127.0.0.1", "--offset 128", StatusUsage},
		{"--bundle x.zip 127.0.0.1", "the file is a .tar.gz", StatusUsage},
		{"--dir " + file + " 127.0.0.1", "create folder " + file, StatusOther},
		{"--bundle /none/x.tgz --dir " + t.TempDir() + " 127.0.0.1", "there is no folder /none", StatusOther},
	} {
		p := startCompare(t, quick, strings.Fields(c.args)...)
		wantEnd(t, c.args, p.end(t), c.status, c.want)
	}
}

func TestCompareHelp(t *testing.T) {
	p := startCompare(t, quick, "--help")
	wantEnd(t, "help", p.end(t), StatusDone)
	for _, want := range []string{"ib_compare [options] HOST", "--dir DIR", "--bundle FILE", "--size", "--ib-dev", "Exit status:"} {
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
