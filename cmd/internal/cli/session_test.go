package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/result"
)

func TestResultFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	_, _, serverErr, clientErr := run(t, writeLat, quick, "", "-d shm_whole -s 8 --out_json_file "+path)
	if serverErr != nil || clientErr != nil {
		t.Fatalf("server: %v, client: %v", serverErr, clientErr)
	}
	f, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Program != "ib_write_lat" || f.Role != "client" || f.Release != ownRelease || f.Build == nil || *f.Build != result.Build(version.Current()) || len(f.Command) == 0 || f.Error != "" ||
		f.Local.Host == "" || f.Local.Libraries["shm"] == "" || f.Finished.Before(f.Started) || len(f.Rows) != 1 {
		t.Errorf("result file: %+v", f)
	}
}

func TestResultFileOfAFailedRun(t *testing.T) {
	refused := &harness.RefusedError{Side: "this side", Device: "shm_unordered", Query: "query", Answer: "not promised"}
	wrong := &harness.DataError{}
	for _, c := range []struct {
		name    string
		err     error
		begins  bool
		status  int
		written bool
		noted   bool // in the file's Error
	}{
		{"refused before the run", refused, false, StatusRefused, false, false},
		{"wrong data", wrong, true, StatusData, true, false},
		{"peer lost", context.DeadlineExceeded, true, StatusOther, true, true},
	} {
		path := filepath.Join(t.TempDir(), "result.json")
		fail := func(_ context.Context, cfg harness.Config) error {
			if c.begins {
				begin(cfg)
				addRow(cfg, 8)
			}
			return c.err
		}
		_, _, _, clientErr := run(t, writeLat, fail, "", "-d shm_whole --out_json_file "+path)
		wantEnd(t, c.name, clientErr, c.status)
		f, err := result.Read(path)
		if c.written != (err == nil) {
			t.Fatalf("%s: result file: %v", c.name, err)
		}
		if c.written && (f.Error != "") != c.noted {
			t.Errorf("%s: error in the result file: %q", c.name, f.Error)
		}
	}
}

// The embedded device promises data order on x86-64 only.
func TestDataIsPolledWhereOrderIsPromised(t *testing.T) {
	status, mode := StatusDone, "data"
	if runtime.GOARCH != "amd64" {
		status, mode = StatusRefused, "poll"
	}
	_, _, serverErr, clientErr := run(t, writeLat, harness.Run, "", "-d shm_whole -n 100 --completion data")
	wantEnd(t, "server", serverErr, status)
	wantEnd(t, "client", clientErr, status)
	path := filepath.Join(t.TempDir(), "result.json")
	_, _, serverErr, clientErr = run(t, writeLat, harness.Run, "", "-d shm_whole -n 100 --out_json_file "+path)
	wantEnd(t, "server of auto", serverErr, StatusDone)
	wantEnd(t, "client of auto", clientErr, StatusDone)
	if f, err := result.Read(path); err != nil || len(f.Rows) != 1 || string(f.Rows[0].Mode) != mode {
		t.Errorf("result file: %+v, %v", f, err)
	}
}

func TestOneSidesRefusalIsBothSidesStatus(t *testing.T) {
	e := func(_ context.Context, c harness.Config) error {
		if c.Role == harness.Server {
			return &harness.RefusedError{Side: "this side", Device: "shm_unordered"}
		}
		<-c.Peer.Lost()
		return c.Peer.Err()
	}
	_, _, serverErr, clientErr := run(t, writeLat, e, "", "-d shm_whole")
	wantEnd(t, "server", serverErr, StatusRefused, "refused")
	wantEnd(t, "client", clientErr, StatusRefused, "ended the run: completion mode data refused")
}

func TestFullDiskIsReportedAfterTheRun(t *testing.T) {
	_, client, serverErr, clientErr := run(t, writeLat, quick, "", "-d shm_whole --out_json_file /dev/full")
	if serverErr != nil {
		t.Error(serverErr)
	}
	wantEnd(t, "client", clientErr, StatusOther, "/dev/full", "no space left")
	if !strings.Contains(client.out.String(), "Latency") {
		t.Errorf("the results are lost: %s", client.out)
	}
}

func TestInterruptedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	running := make(chan struct{}, 2)
	e := func(ctx context.Context, c harness.Config) error {
		begin(c)
		addRow(c, 8)
		running <- struct{}{}
		select {
		case <-ctx.Done():
			c.File.Interrupted = true
			return harness.ErrInterrupted
		case <-c.Peer.Lost():
			return c.Peer.Err()
		}
	}
	server := start(t, writeLat, e, serverArgs()...)
	client := start(t, writeLat, e, "-d", "shm_whole", "--out_json_file", path, "-p", server.port(t), "127.0.0.1")
	<-running
	<-running
	client.cancel(&interruptedError{"SIGINT"})
	wantEnd(t, "client", client.end(t), StatusOther, "interrupted by SIGINT")
	wantEnd(t, "server", server.end(t), StatusPeer, "ended the run: interrupted by SIGINT")
	f, err := result.Read(path)
	if err != nil || !f.Interrupted || f.Error != "interrupted by SIGINT" || len(f.Rows) != 1 {
		t.Errorf("result file: %+v, %v", f, err)
	}
}

// The engine of this test waits for its peer only, and not for the context.
func TestInterruptEndsAnEngineThatWaits(t *testing.T) {
	running := make(chan struct{}, 2)
	e := func(_ context.Context, c harness.Config) error {
		running <- struct{}{}
		if c.Role == harness.Client { // neither takes the other's step
			return c.Peer.Ready()
		}
		_, err := c.Peer.Offer(oob.Offer{})
		return err
	}
	server := start(t, writeLat, e, serverArgs()...)
	client := start(t, writeLat, e, "-d", "shm_whole", "-p", server.port(t), "127.0.0.1")
	<-running
	<-running
	server.cancel(&interruptedError{"SIGTERM"})
	wantEnd(t, "server", server.end(t), StatusOther, "interrupted by SIGTERM")
	wantEnd(t, "client", client.end(t), StatusPeer, "interrupted by SIGTERM")
}

func TestInterruptedWhileWaiting(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	server := start(t, writeLat, quick, serverArgs("--ready-file", ready)...)
	server.port(t)
	server.cancel(&interruptedError{"SIGINT"})
	wantEnd(t, "server", server.end(t), StatusOther, "interrupted by SIGINT")
	if _, err := os.Stat(ready); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ready file is left: %v", err)
	}
}

func TestServerEndsLongRuns(t *testing.T) {
	endless := func(ctx context.Context, c harness.Config) error {
		begin(c)
		select {
		case <-ctx.Done():
			return harness.ErrInterrupted
		case <-c.Peer.Lost():
			return c.Peer.Err()
		}
	}
	_, _, serverErr, clientErr := run(t, writeLat, endless, "--max-time 1", "-d shm_whole")
	wantEnd(t, "server", serverErr, StatusUsage, "the server ends a run after 1s (--max-time)")
	wantEnd(t, "client", clientErr, StatusUsage, "the server ends a run after 1s (--max-time)")
	_, _, serverErr, clientErr = run(t, writeLat, quick, "--max-time 1", "-d shm_whole -D 2")
	wantEnd(t, "server", serverErr, StatusUsage, "--duration 2", "(--max-time)")
	wantEnd(t, "client", clientErr, StatusUsage, "--duration 2", "(--max-time)")
}

func TestPersistentServer(t *testing.T) {
	dir := t.TempDir()
	var together sync.WaitGroup // both clients' server sides are in the run at the same time
	together.Add(2)
	e := func(_ context.Context, c harness.Config) error {
		begin(c)
		if c.Role == harness.Server {
			together.Done()
			together.Wait()
		}
		for _, size := range c.Plan.Plan().Sizes {
			addRow(c, size)
		}
		return nil
	}
	server := start(t, writeLat, e, serverArgs("--persistent", "--verify=false", "--out_json_file", filepath.Join(dir, "r.json"))...)
	port := server.port(t)
	a := start(t, writeLat, e, "-a", "-d", "shm_whole", "-p", port, "127.0.0.1")
	b := start(t, writeLat, e, "-a", "-d", "shm_block128", "-p", port, "127.0.0.1")
	wantEnd(t, "first client", a.end(t), StatusDone)
	wantEnd(t, "second client", b.end(t), StatusDone)
	c := start(t, readLat, quick, "--verify", "-d", "shm_whole", "-p", port, "127.0.0.1")
	wantEnd(t, "client that wants what the server forbids", c.end(t), StatusUsage)
	// The server may still be closing the last client's session, whose end is none of the signal's.
	server.err.awaits(t, "failed with status 2")
	server.cancel(&interruptedError{"SIGTERM"})
	wantEnd(t, "server", server.end(t), StatusDone)
	wantTablesApart(t, server.out.String())
	if n := strings.Count(server.out.String(), "client 127.0.0.1:"); n != 2 {
		t.Errorf("%d of 2 tables say whose they are: %s", n, server.out)
	}
	for _, name := range []string{"r.1.json", "r.2.json"} {
		if _, err := result.Read(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// wantTablesApart checks that each device's table is finished before the next begins.
func wantTablesApart(t *testing.T, out string) {
	t.Helper()
	tables := strings.Split(out, "RDMA_Write Latency Test")
	if len(tables) != 3 {
		t.Fatalf("printed %d tables, want 2: %s", len(tables)-1, out)
	}
	for _, table := range tables[1:] {
		rows := 0
		for line := range strings.Lines(table) {
			if strings.HasPrefix(strings.TrimSpace(line), "8388608 ") || strings.HasPrefix(strings.TrimSpace(line), "2 ") {
				rows++
			}
		}
		if rows < 2 {
			t.Errorf("a table lacks its first or last row: %s", table)
		}
	}
}

func TestPersistentServerStoppedWhileIdle(t *testing.T) {
	server := start(t, writeLat, quick, serverArgs("--persistent")...)
	server.port(t)
	server.cancel(&interruptedError{"SIGTERM"})
	wantEnd(t, "server", server.end(t), StatusDone)
}

// A persistent server that is stopped when a client's run is as good as done has interrupted no client.
func TestPersistentServerStoppedAtTheEndOfARun(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	e := func(_ context.Context, c harness.Config) error {
		begin(c)
		if c.Role == harness.Server {
			close(running)
			<-release
		}
		addRow(c, 8)
		return nil
	}
	server := start(t, writeLat, e, serverArgs("--persistent")...)
	client := start(t, writeLat, e, "-s", "8", "-d", "shm_whole", "-p", server.port(t), "127.0.0.1")
	<-running
	server.cancel(&interruptedError{"SIGTERM"})
	close(release)
	wantEnd(t, "client", client.end(t), StatusDone)
	wantEnd(t, "server", server.end(t), StatusDone)
}

// Samples that are printed are those of all threads.
func TestSamplesOfThreadsAreKept(t *testing.T) {
	for args, want := range map[string]int{"-n 20 -U": 20, "-n 20 -H --threads 2": 40, "-n 20": 0} {
		kept := -1
		keep := func(ctx context.Context, cfg harness.Config) error {
			if cfg.Role == harness.Client {
				kept = cfg.KeepSamples
			}
			return quick(ctx, cfg)
		}
		if _, _, serverErr, clientErr := run(t, writeLat, keep, "", "-d shm_whole "+args); serverErr != nil || clientErr != nil {
			t.Fatalf("server: %v, client: %v", serverErr, clientErr)
		}
		if kept != want {
			t.Errorf("%s: %d samples are kept, want %d", args, kept, want)
		}
	}
}
