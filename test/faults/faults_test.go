package faults

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/test/stub"
)

// grace is the time within which a side ends after the loss of the other, in addition to ten runs without a fault.
const grace = 15 * time.Second

// fault is one run with one fault.
type fault struct {
	name string
	run  func() error
}

// outcome is the outcome of the faults of a kind in a shape.
type outcome struct {
	name         string
	points, held int
	failures     []string
	faults       []fault
}

// inject injects the faults that choose selects, a few at once.
func (o *outcome) inject(atOnce int, choose func(i int) bool) {
	var work sync.WaitGroup
	var mu sync.Mutex
	turn := make(chan struct{}, atOnce)
	chosen := o.faults[:0:0]
	for i, f := range o.faults {
		if choose(i) {
			chosen = append(chosen, f)
		}
	}
	o.faults = chosen
	for _, f := range chosen {
		turn <- struct{}{}
		work.Go(func() {
			defer func() { <-turn }()
			err := f.run()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				o.failures = append(o.failures, f.name+": "+err.Error())
				return
			}
			o.held++
		})
	}
	work.Wait()
}

// in runs f with a pair of a shape in a folder of its own.
func in(s shape, f func(p *pair) error) error {
	dir, err := os.MkdirTemp("", "ibperf-faults-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := &pair{shape: s, dir: dir}
	defer p.end()
	return f(p)
}

// messageFaults records the messages of a run, and returns a fault for each and each action.
func messageFaults(t *testing.T, s shape) *outcome {
	t.Helper()
	o := &outcome{name: "messages, " + s.String()}
	var seen []point
	var took time.Duration
	err := in(s, func(p *pair) error {
		p.relay = newRelay(point{}, "")
		if err := p.start(); err != nil {
			return err
		}
		err := p.check(patience, 0)
		took, seen = time.Since(p.began), p.relay.messages()
		return err
	})
	if err != nil {
		t.Fatalf("%s without a fault: %v", s, err)
	}
	for _, at := range points(seen, s.timed()) {
		o.points++
		for _, a := range actions {
			o.faults = append(o.faults, fault{fmt.Sprintf("%v: %s", at, a), func() error { return s.loseAt(at, a, 10*took+grace, mayEnd(at, seen)) }})
		}
	}
	return o
}

// loseAt runs a shape with a fault at a message. A side sends no bye or abort if the other one has ended the connection before.
func (s shape) loseAt(at point, a action, limit time.Duration, statuses []int) error {
	return in(s, func(p *pair) error {
		p.relay = newRelay(at, a)
		if err := p.start(); err != nil {
			return err
		}
		err := p.check(limit, statuses...)
		if err == nil {
			err = p.files(true)
		}
		if err == nil && !p.relay.injected() && at.name != "bye" && at.name != "abort" {
			return fmt.Errorf("the run had no such message")
		}
		return err
	})
}

// mayEnd returns the statuses with which a side may end after a loss at a message. A client whose greeting fails, or a rank
// that has not joined, connects again, and after the exchange of rows, or the goodbye to a rank, a side may have all that
// it needs.
func mayEnd(at point, seen []point) []int {
	isLast := func(p point) bool { return p.name == "row" || p.name == "end" || p.name == "bye" }
	last, index := slices.IndexFunc(seen, isLast), slices.Index(seen, at)
	if slices.Contains([]string{"preamble", "hello", "welcome", "join"}, at.name) || last >= 0 && index >= last {
		return []int{4, 0}
	}
	return []int{4}
}

// fileFaults records the system calls of both sides on files, and returns faults for each: it fails, or the process is
// killed before it.
func fileFaults(t *testing.T, s shape) *outcome {
	t.Helper()
	o := &outcome{name: "files, " + s.String()}
	var took time.Duration
	var seen [2][]filePoint
	err := in(s, func(p *pair) error {
		p.supervised = [2]*supervisor{{dir: p.dir}, {dir: p.dir}}
		if err := p.start(); err != nil {
			return err
		}
		err := p.check(patience, 0)
		took, seen = time.Since(p.began), [2][]filePoint{p.supervised[0].calls(), p.supervised[1].calls()}
		return err
	})
	if errors.Is(err, errRefused) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%s without a fault: %v", s, err)
	}
	for side, name := range []string{"client", "server"} {
		for _, at := range filePoints(seen[side], s.timed()) {
			o.points++
			for _, kill := range []bool{false, true} {
				what := "fails"
				if kill {
					what = "killed before it"
				}
				o.faults = append(o.faults, fault{fmt.Sprintf("%s's %v: %s", name, at, what), func() error {
					err := s.breakAt(side, at, kill, 10*took+grace)
					if series.MatchString(at.path) && errors.Is(err, errNoSuchCall) { // which figures there are depends on the rates
						err = s.breakAt(side, at, kill, 10*took+grace)
					}
					return err
				}})
			}
		}
	}
	return o
}

// errNoSuchCall is the error of a run without the call that was to fail.
var errNoSuchCall = errors.New("the run had no such call")

// breakAt runs a shape in which a system call of one side fails, or which is killed there.
func (s shape) breakAt(side int, at filePoint, kill bool, limit time.Duration) error {
	return in(s, func(p *pair) error {
		victim := &supervisor{dir: p.dir, at: at, kill: kill}
		p.supervised[side] = victim
		if err := p.start(); err != nil && err != errEnded {
			return err
		}
		err := p.check(limit, 0, 1, 4)
		if err == nil {
			err = p.files(kill || at.call == "unlinkat")
		}
		if err == nil && !victim.injected() {
			return errNoSuchCall
		}
		if err == nil && !kill {
			err = p.named(side, at)
		}
		return err
	})
}

// verbsFaults returns a fault for each call of libibverbs and each side.
func verbsFaults(t *testing.T, s shape) *outcome {
	t.Helper()
	o := &outcome{name: "verbs, " + s.String()}
	var took time.Duration
	env := stub.Env(t)
	err := in(s, func(p *pair) error {
		p.env = env
		if err := p.start(); err != nil {
			return err
		}
		err := p.check(patience, 0)
		took = time.Since(p.began)
		return err
	})
	if err != nil {
		t.Fatalf("%s without a fault: %v", s, err)
	}
	for _, call := range verbsPoints(t) {
		o.points++
		for side, name := range []string{"client", "server"} {
			o.faults = append(o.faults, fault{name + "'s ibv_" + call, func() error { return s.refuse(stub.Env(t), side, call, 10*took+grace) }})
		}
	}
	return o
}

// refuse runs a shape in which a call of one side fails.
func (s shape) refuse(env []string, side int, call string, limit time.Duration) error {
	return in(s, func(p *pair) error {
		p.env = env
		p.sides[side] = []string{"STUB_FAIL=" + call + ":5"}
		if err := p.start(); err != nil && err != errEnded {
			return err
		}
		err := p.check(limit, 0, 1, 3, 4)
		if err == nil {
			err = p.files(false)
		}
		if err == nil {
			err = p.names(side, call)
		}
		return err
	})
}

// TestSampleOfFaults injects a few faults of each kind. The trial injects all.
func TestSampleOfFaults(t *testing.T) {
	every := func(n int) func(int) bool { return func(i int) bool { return i%n == n/2 } }
	s := shapes[0]
	for _, c := range []struct {
		o *outcome
		n int
	}{{messageFaults(t, s), 41}, {fileFaults(t, s), 7}, {verbsFaults(t, shapeOfVerbs), 23}} {
		c.o.inject(2, every(c.n))
		for _, f := range c.o.failures {
			t.Errorf("%s: %s", c.o.name, f)
		}
		t.Logf("%s: %d points, %d runs, %d held", c.o.name, c.o.points, len(c.o.faults), c.o.held)
	}
}
