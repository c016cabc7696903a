package loop

import (
	"github.com/ibperf/ibperf/harness/internal/clock"
	"github.com/ibperf/ibperf/internal/sched"
)

// Spent holds the CPU and wall time, and the context switches, of a worker's thread in a round.
type Spent struct {
	CPU, Wall         int64 // ns
	Sleeps, Preempted int64
}

// Cost returns what the worker's thread spent in the round, and the drift of its clock in millionths.
func (w *Worker) Cost() (s Spent, drift float64) { return w.meter.Spent, w.Clock.Drift() }

// meter measures what a worker's thread spends from the first to the last message that counts. It
// leaves out the wait for the peer's number of messages.
type meter struct {
	Spent
	running bool
	waits   int64 // voluntary context switches
}

// beginMeter begins the measurement.
func (w *Worker) beginMeter() {
	lost, waits := sched.Switches()
	w.meter = meter{running: true, waits: -waits}
	w.meter.Spent = Spent{CPU: -clock.ThreadCPU(), Preempted: -lost, Sleeps: -int64(w.sleep.events)}
	w.meter.Wall = -w.Clock.Now()
}

// endMeter ends the measurement; later calls do nothing. Time after the last progress does not count.
func (w *Worker) endMeter() {
	m := &w.meter
	if !m.running {
		return
	}
	m.running = false
	lost, waits := sched.Switches()
	end := Spent{Wall: w.Clock.Now(), CPU: clock.ThreadCPU(), Preempted: lost}
	if last := w.idling.lastProgress; last.Wall != 0 {
		end = last
	}
	m.Wall += end.Wall
	m.CPU += end.CPU
	m.Preempted += end.Preempted
	m.waits += waits
	m.Sleeps = min(m.Sleeps+int64(w.sleep.events), m.waits)
}
