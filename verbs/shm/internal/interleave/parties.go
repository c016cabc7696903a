//go:build interleave

package interleave

import (
	"fmt"
	"runtime"
	"slices"
)

// A Run is what concurrent parties do once.
type Run struct {
	Parties []func()
	Check   func() error // of what must hold when all parties have ended; nil: nothing
}

// party is a goroutine of a run.
type party struct {
	resume chan struct{}
	holds  func() bool // the party waits until it returns true; nil: it does not wait
	ended  bool
}

// execution is a run in one order of its steps.
type execution struct {
	parties []*party
	paused  chan struct{} // a party has paused or ended
	failure error
	over    bool   // all parties end at their next step
	order   []byte // of parties, as letters, for messages
}

// The execution in progress, and its party that runs. Only one goroutine runs at a time.
var (
	current *execution
	active  *party
)

// Step lets another party run, if the order has one here.
func Step() { pause(nil) }

// Await lets other parties run until holds returns true, which reads shared memory only.
func Await(holds func() bool) { pause(holds) }

func pause(holds func() bool) {
	e, p := current, active
	if e == nil {
		return
	}
	p.holds = holds
	e.paused <- struct{}{}
	<-p.resume
	p.holds = nil
	if e.over {
		runtime.Goexit()
	}
}

// Failf ends the run: something does not hold.
func Failf(format string, values ...any) {
	current.failure = fmt.Errorf(format, values...)
	runtime.Goexit()
}

// execute runs parties once. choose returns which of the parties that can go on does so, an index in ready; last is the
// one that ran last, -1 if it cannot go on.
func execute(r Run, choose func(ready []int, last int) int) error {
	e := &execution{paused: make(chan struct{})}
	current = e
	defer func() { current, active = nil, nil }()
	for _, do := range r.Parties {
		p := &party{resume: make(chan struct{})}
		e.parties = append(e.parties, p)
		go func() {
			defer func() { p.ended = true; e.paused <- struct{}{} }()
			<-p.resume
			if !e.over {
				do()
			}
		}()
	}
	running := -1
	for e.failure == nil {
		ready, left := e.ready()
		if left == 0 {
			break
		}
		if ready == nil {
			e.failure = fmt.Errorf("%d parties wait for each other", left)
			break
		}
		running = ready[choose(ready, slices.Index(ready, running))]
		e.resume(running)
	}
	e.over = true
	for i := range e.parties {
		if !e.parties[i].ended {
			e.resume(i)
		}
	}
	if e.failure == nil && r.Check != nil {
		current = nil // Check has no steps
		e.failure = r.Check()
	}
	if e.failure != nil {
		return fmt.Errorf("%w; order of the parties' steps: %s", e.failure, e.order)
	}
	return nil
}

// ready returns the parties that can go on, and the number of those that have not ended.
func (e *execution) ready() (ready []int, left int) {
	for i, p := range e.parties {
		if p.ended {
			continue
		}
		left++
		if p.holds == nil || p.holds() {
			ready = append(ready, i)
		}
	}
	return ready, left
}

// resume lets a party run until its next step or its end.
func (e *execution) resume(i int) {
	if !e.over {
		e.order = append(e.order, 'a'+byte(i))
	}
	active = e.parties[i]
	active.resume <- struct{}{}
	<-e.paused
}
