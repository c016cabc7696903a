package shm_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/ibperf/ibperf/internal/testclock"
	"github.com/ibperf/ibperf/verbs"
)

// TestReadsWithOneThread covers READs of a shuffling device, which its engine executes, in a process with GOMAXPROCS=1: a
// thread that polls the CQ lets the engine run, where each READ took as long as the runtime lets a goroutine run.
func TestReadsWithOneThread(t *testing.T) {
	c := conf()
	c.device = "shm_block128"
	a, b := pair(t, c)
	read := send{Op: verbs.OpRDMARead, Flags: verbs.SendSignaled, SGEs: []verbs.SGE{a.SGE(0, 1024)}}.Toward(b, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const reads = 300
	watch := testclock.Start()
	for range reads {
		a.Post(read)
		var wc [1]verbs.WC
		for n := 0; n == 0; { // without a call of the scheduler
			var err error
			n, err = a.SendCQ.CQ.Poll(wc[:])
			noError(t, err)
		}
		if wc[0].Status != verbs.WCSuccess {
			t.Fatalf("status %s", wc[0].Status)
		}
	}
	if took := watch.Took(); took > 2*time.Second {
		t.Errorf("%d READs took %v", reads, took)
	}
}
