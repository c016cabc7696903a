package loop

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/harness/internal/message"
	"github.com/ibperf/ibperf/harness/internal/testcase"
)

// probePattern differs from the zeros that the peer's memory holds before the first size.
const probePattern = 0xa5a5a5a5a5a5a5a5

// FetchesAreSynchronous reports whether a READ or atomic operation is complete when its post returns,
// as on a device that executes it in the calling thread. It posts one and loads its target at once.
// Both sides must be in RTS, and no size may be prepared.
func (all *Workers) FetchesAreSynchronous(c *testcase.Case) (bool, error) {
	f := all.Groups[0].Flows()[0]
	if err := f.setCase(c); err != nil {
		return false, err
	}
	at := f.worker.set.Layout.Rx(f.conn.Index) + f.out.into.SlotOffset(0)/8*8 // the word that the message begins in
	word := message.Word(f.memory(at))
	atomic.StoreUint64(word, probePattern)
	f.out.limit = 1
	if err := f.out.post(1); err != nil {
		return false, err
	}
	synchronous := atomic.LoadUint64(word) != probePattern
	return synchronous, f.flush()
}
