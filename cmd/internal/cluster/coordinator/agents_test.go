package coordinator

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/emulation"
	"github.com/ibperf/ibperf/internal/subprocess"
	"github.com/ibperf/ibperf/oob"
	"golang.org/x/sys/unix"
)

// TestManyAgents is a sample of TestTrialOfManyAgents.
func TestManyAgents(t *testing.T) { gatherMany(t, 300, time.Second) }

// The environment variables of the process that has the agents of gatherMany.
const (
	addressVariable = "IBPERF_TEST_ADDRESS"
	ranksVariable   = "IBPERF_TEST_RANKS"
)

// TestAgents is the process that has the agents.
func TestAgents(t *testing.T) {
	address := os.Getenv(addressVariable)
	if address == "" {
		t.Skip("for other tests only")
	}
	ranks, err := strconv.Atoi(os.Getenv(ranksVariable))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, address: address}
	b.config.Ranks, b.config.Rails = ranks, 1
	for rank := range ranks {
		b.join(rank, good(rank))
	}
	b.agents.Wait()
}

// gatherMany lets agents of another process join, and checks what they cost this one.
func gatherMany(t *testing.T, ranks int, idle time.Duration) {
	emulation.SkipFork(t)
	b := newBench(t, ranks, t.TempDir()+"/out", false)
	before := memory()
	l, err := oob.ListenOn(b.socket, oob.ListenOptions{Program: oob.Cluster, Clients: ranks})
	if err != nil {
		t.Fatal(err)
	}
	agents := exec.Command(os.Args[0], "-test.run=^TestAgents$")
	agents.Env = append(os.Environ(), addressVariable+"="+b.address, ranksVariable+"="+fmt.Sprint(ranks))
	agents.Stderr = os.Stderr
	if err := subprocess.Start(agents); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	members, err := gather(t.Context(), l, &b.config)
	if err != nil {
		t.Fatal(err)
	}
	joined := time.Since(begun)
	each := (memory() - before) / uint64(ranks)
	share := math.Inf(1)
	for range 3 { // in the first one work of the start may be left
		used := cpu(t)
		time.Sleep(idle)
		share = min(share, float64(cpu(t)-used)/float64(idle))
	}
	lost := 0
	for _, m := range members {
		if m == nil || m.conn.Err() != nil {
			lost++
		}
	}
	t.Logf("%d agents: joined in %v, %d lost, %d B each, %.1f %% of a CPU when idle", ranks, joined.Round(time.Millisecond), lost, each, 100*share)
	if joined > 30*time.Second || lost > 0 || each > 40_000 || share > 0.05 {
		t.Error("want 30 s, none, 40 kB, 5 %")
	}
	r := &run{Config: &b.config, members: members}
	r.dismiss(nil)
	l.Close()
	if err := agents.Wait(); err != nil {
		t.Error(err)
	}
}

// memory returns the memory in use, with that of goroutines.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// cpu returns the CPU time of this process.
func cpu(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
