package harness

import (
	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/sched"
)

// meter measures what a worker's thread costs between begin and end, which leave out what
// comes before the first message that counts and the wait for the peer's last word.
type meter struct {
	spent
	running bool
	waits   int64 // voluntary context switches
}

func (w *worker) beginMeter() {
	lost, waits := sched.Switches()
	w.meter = meter{running: true, waits: -waits}
	w.meter.spent = spent{cpu: -clock.ThreadCPU(), preempted: -lost, sleeps: -int64(w.sleep.events)}
	w.meter.wall = -w.clock.Now()
}

// endMeter has an effect at its first call. Time in which nothing came any more does not
// count.
func (w *worker) endMeter() {
	m := &w.meter
	if !m.running {
		return
	}
	m.running = false
	lost, waits := sched.Switches()
	end := spent{wall: w.clock.Now(), cpu: clock.ThreadCPU(), preempted: lost}
	if began := w.idling.began; began.wall != 0 {
		end = began
	}
	m.wall += end.wall
	m.cpu += end.cpu
	m.preempted += end.preempted
	m.waits += waits
	m.sleeps = min(m.sleeps+int64(w.sleep.events), m.waits)
}
