package shm

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ibperf/ibperf/verbs"
)

// Timestamps of completions. Who completes something looks at the clock: of a receive that
// is the peer's requester, which leaves the time beside the record. So the clocks are ones that
// all processes share: in ticks CLOCK_MONOTONIC_RAW, in nanoseconds, which NTP does not touch.

const clockMonotonicRaw = 4 // unix.CLOCK_MONOTONIC_RAW, which not all systems have

// timestamp returns the time, 0 if a peer asks for something else.
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

// time is when the peer has completed receive i.
func (r *recvQueue) time(i uint32) uint64 {
	return atomic.LoadUint64(view[uint64](r.file.Bytes(), r.layout.timeAt(i)))
}

func (q *cq) PollTimes(wc []verbs.WC, times []uint64, max int) (int, error) {
	if q.stamps == verbs.TimestampNone || len(times) < len(wc) {
		return 0, q.ctx.err("start_poll", einval, "the CQ has no timestamps, or there is too little room for them")
	}
	if _, err := q.PollSpin(nil, max); err != nil { // which waits
		return 0, err
	}
	n, err := q.take(wc, times)
	for i := range n {
		if wc[i].Status != verbs.WCSuccess {
			times[i] = 0
		}
	}
	return n, err
}
