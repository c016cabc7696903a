package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// Timestamps of completions. The thread that completes a request or a receive reads the clock. For
// a receive that is the peer's requester, which stores the time next to the record. The clocks are
// therefore shared by all processes: ticks are nanoseconds of CLOCK_MONOTONIC_RAW, which NTP does
// not adjust.

const clockMonotonicRaw = 4 // unix.CLOCK_MONOTONIC_RAW, which package unix does not define on all systems

// timestamp returns the current time, or 0 if a peer's directory asks for an unknown kind.
func timestamp(kind verbs.Timestamps) uint64 {
	var now unix.Timespec
	switch kind {
	case verbs.TimestampTicks:
		unix.ClockGettime(clockMonotonicRaw, &now)
	case verbs.TimestampWallClock:
		unix.ClockGettime(unix.CLOCK_REALTIME, &now)
	}
	return uint64(now.Nano())
}

// time returns the timestamp of record i.
func (r *recvQueue) time(i uint32) uint64 {
	return atomic.LoadUint64(view[uint64](r.file.Bytes(), r.layout.timeAt(i)))
}

func (q *cq) PollTimes(wc []verbs.WC, times []uint64, max int) (int, error) {
	if q.stamps == verbs.TimestampNone || len(times) < len(wc) {
		return 0, q.ctx.err("start_poll", einval, "the CQ has no timestamps, or times is shorter than wc")
	}
	if _, err := q.PollSpin(nil, max); err != nil { // waits for a completion
		return 0, err
	}
	n, err := q.dequeue(wc, times)
	for i := range n {
		if wc[i].Status != verbs.WCSuccess {
			times[i] = 0
		}
	}
	return n, err
}
