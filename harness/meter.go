package harness

import (
	"github.com/ibperf/ibperf/internal/clock"
	"golang.org/x/sys/unix"
)

// meter measures what a worker's thread costs between begin and end, which leave out what
// comes before the first message that counts and the wait for the peer's last word.
type meter struct {
	cpu, wall int64 // ns
	preempted int64 // involuntary context switches
	sleeps    uint64
	running   bool
}

func (w *worker) beginMeter() {
	w.meter = meter{cpu: -clock.ThreadCPU(), preempted: -preemptions(), sleeps: w.sleep.sleeps, running: true}
	w.meter.wall = -w.clock.Now()
}

// endMeter has an effect at its first call.
func (w *worker) endMeter() {
	m := &w.meter
	if !m.running {
		return
	}
	m.wall += w.clock.Now()
	m.cpu += clock.ThreadCPU()
	m.preempted += preemptions()
	m.sleeps = w.sleep.sleeps - m.sleeps
	m.running = false
}

// preemptions returns how often the calling thread has lost its CPU to others.
func preemptions() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0 // every Linux since 2.6.26 counts them
	}
	return u.Nivcsw
}
