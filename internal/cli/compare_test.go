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
	"github.com/ibperf/ibperf/internal/outfolder"
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
		{"-d shm_whole --dir " + file + " 127.0.0.1", "create folder " + file, StatusOther},
		{"--bundle /none/x.tgz --dir " + t.TempDir() + " -d shm_whole 127.0.0.1", "there is no folder /none", StatusOther},
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

// markedPlot is a way to draw that makes one plot as ibperf does, if it may be done.
func markedPlot(allowed error) compare.Draw {
	return func(dir string, _ []*result.File) ([]page.Figure, error) {
		f := page.Figure{Name: "write_lat_plot", SVG: filepath.Join(dir, "write_lat_plot.svg")}
		return []page.Figure{f}, errors.Join(allowed, os.WriteFile(f.SVG, []byte(outfolder.SVGMark+" --><svg></svg>"), 0o666))
	}
}

// into runs both sides of a comparison that leaves its files in a folder, and returns how the
// client ended.
func into(t *testing.T, dir string, run engine, draw compare.Draw, args ...string) error {
	t.Helper()
	server, client := startCompare(t, quick, serverArgs()...), newProgram(t)
	args = append([]string{"-p", server.port(t), "127.0.0.1", "-d", "shm_whole", "--dir", dir}, args...)
	client.goes(func(ctx context.Context) error {
		return client.app(option.CompareProgram, run, args).compare(ctx, args, draw)
	})
	err := client.end(t)
	server.cancel(nil) // which need not have ended after a failure
	_ = server.end(t)
	return err
}

// contents are the files in a folder with what is in them, and its folders.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range filesIn(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			data = []byte("folder")
		}
		all[name] = string(data)
	}
	return all
}

// A comparison replaces what an earlier one left when it is complete, and not before. What has no
// successor goes, and other files stay.
func TestSecondComparisonReplacesTheFirst(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".ibperf": "0123456789abcdef", "notes.txt": "mine", "photo.png": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foreign := contents(t, dir)
	bundle := filepath.Join(t.TempDir(), "all.tgz")
	wantEnd(t, "the first", into(t, dir, quick, markedPlot(nil), "-s", "8", "--bundle", bundle), StatusDone)
	first := contents(t, dir)
	if len(first) != len(foreign)+len(compare.Runs(base()))+5 {
		t.Fatalf("the first left %d files", len(first))
	}

	lost := &oob.PeerError{Peer: "127.0.0.1:1", Reason: "is gone"}
	for name, err := range map[string]error{
		"at first":  into(t, dir, failing("ib_write_lat", 1, lost), markedPlot(nil), "-s", "8"),
		"its peer":  into(t, dir, failing("ib_send_bw", 1, lost), markedPlot(nil), "-s", "8"),
		"its plots": into(t, dir, quick, markedPlot(errors.New("no space left")), "-s", "8"),
	} {
		if err == nil {
			t.Errorf("%s: it did not fail", name)
		}
		said := err.Error()
		for left, text := range contents(t, dir) {
			unfinished := strings.HasPrefix(left, "ib_compare.unfinished.")
			if !unfinished && first[left] != text {
				t.Errorf("%s: %s is not as before", name, left)
			}
			if unfinished && name != "at first" && !strings.Contains(said, "runs are in "+dir+"/ib_compare.unfinished.") {
				t.Errorf("%s: where its results are is not said: %s", name, said)
			}
		}
	}
	unfinished, err := filepath.Glob(filepath.Join(dir, "ib_compare.unfinished.*"))
	if err != nil || len(unfinished) != 2 {
		t.Errorf("unfinished are %q, %v", unfinished, err)
	}

	own := result.File{Format: result.FormatName, Version: result.FormatVersion, Program: "ib_read_bw", Op: "read", Kind: "bw"}
	if err := own.Write(filepath.Join(dir, "read-bw.json")); err != nil { // of no comparison
		t.Fatal(err)
	}
	wantEnd(t, "the last", into(t, dir, quick, markedPlot(nil), "-s", "8", "--connection", "UC"), StatusDone)
	last := contents(t, dir)
	if !strings.Contains(last["read-bw.json"], "ib_read_bw") {
		t.Errorf("read-bw.json of no comparison is %q", last["read-bw.json"])
	}
	for name, text := range foreign {
		if last[name] != text {
			t.Errorf("%s is not as before", name)
		}
	}
	for _, gone := range []string{"read-lat.json", "atomic-bw.json", "send-bw-verify.json", "caps-client.json"} {
		if last[gone] != "" {
			t.Errorf("%s of the first is left", gone)
		}
	}
	for _, name := range []string{"write-lat.json", "index.html", "report.txt"} {
		if last[name] == "" || name != "index.html" && last[name] == first[name] {
			t.Errorf("%s is not of the last", name)
		}
	}
}
