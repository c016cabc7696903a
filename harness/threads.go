package harness

import (
	"sync"

	"github.com/ibperf/ibperf/harness/internal/affinity"
)

// threads are the measuring threads of a side: that of the session, and those of goroutines that wait for the loops of rounds.
// They are placed once and for all rounds: each on its CPU, or on the CPUs near the device.
type threads struct {
	others  []chan func()
	ended   sync.WaitGroup
	release func() // lets the session's thread run where other threads may
}

// startThreads places the session's thread and starts the other ones.
func (s *session) startThreads() {
	t := &s.threads
	t.release = s.placeThread(0)
	for i := range s.cpus[1:] {
		calls := make(chan func())
		t.others = append(t.others, calls)
		t.ended.Go(func() {
			defer s.placeThread(i + 1)()
			for call := range calls {
				call()
			}
		})
	}
}

// placeThread places the calling thread, the i-th of this side, until the goroutine calls release.
func (s *session) placeThread(i int) (release func()) {
	switch cpu := s.cpus[i]; {
	case cpu != affinity.NoCPU:
		return affinity.Reserve(cpu)
	case s.cfg.Pin: // the process is
		return func() {}
	}
	return affinity.Bind(s.cfg.Devices[i/s.plan.Threads].CPUs)
}

// run calls a function for each thread, with the thread's index, in that thread, and waits for all calls to return.
func (t *threads) run(call func(i int)) {
	var running sync.WaitGroup
	running.Add(len(t.others))
	for i, calls := range t.others {
		calls <- func() {
			defer running.Done()
			call(i + 1)
		}
	}
	call(0)
	running.Wait()
}

// end ends all threads but the session's, and lets that one run where other threads may.
func (t *threads) end() {
	for _, calls := range t.others {
		close(calls)
	}
	t.ended.Wait()
	if t.release != nil { // the threads were started
		t.release()
	}
}
