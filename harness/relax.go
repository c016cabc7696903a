package harness

import (
	"slices"

	"github.com/ibperf/ibperf/internal/clock"
	"github.com/ibperf/ibperf/internal/place"
)

// What is best between two looks at memory depends on the CPU: a PAUSE lets the writer have
// the line sooner, but where it takes long it makes the reader late. So the warm-up of a
// ping-pong that looks for data in memory tries each [place.Relaxation] by turns, and the
// rounds after it have the best one.

// relaxing is what a worker knows of that.
type relaxing struct {
	chosen place.Relaxation
	trial  *trial // of the last warm-up
}

// relaxes tells whether the worker's loop looks again and again at the memory of one
// message, and does nothing else.
func (w *worker) relaxes() bool {
	s := w.scheme
	return s.exchange && s.memory && !s.verify && len(w.lanes) == 1
}

// A trial notes how long a few exchanges take with each relaxation.
type trial struct {
	took  [place.Relaxations][trialTurns]int64 // ns
	turn  int                                  // which has relaxation turn%Relaxations
	left  int                                  // exchanges of the turn that are to come
	began int64                                // when the turn began; 0: the first one has not
}

const (
	trialTurns     = 512 // turns of each relaxation that are remembered
	trialExchanges = 32  // exchanges of a turn
	trialGain      = 0.99
)

// try begins a trial and returns arrive with a note of each message.
func (r *relaxing) try(c *clock.Clock, arrive func() (bool, error)) func() (bool, error) {
	t := &trial{}
	r.trial = t
	place.SetRelaxation(0)
	return func() (bool, error) {
		here, err := arrive()
		if here {
			t.note(c)
		}
		return here, err
	}
}

// note counts an exchange, and goes on to the next relaxation once the turn is over.
func (t *trial) note(c *clock.Clock) {
	if t.left--; t.left > 0 {
		return
	}
	now := c.Now()
	if t.began != 0 {
		t.took[t.turn%place.Relaxations][t.turn/place.Relaxations%trialTurns] = now - t.began
		t.turn++
	}
	t.began, t.left = now, trialExchanges
	place.SetRelaxation(place.Relaxation(t.turn % place.Relaxations))
}

// choose ends a trial, if there was one, and makes what it found best count: that of the
// least median, but none if it gains little.
func (r *relaxing) choose() {
	if r.trial != nil {
		r.chosen, r.trial = r.trial.best(), nil
	}
	place.SetRelaxation(r.chosen)
}

func (t *trial) best() place.Relaxation {
	n := min(t.turn/place.Relaxations, trialTurns)
	if n == 0 {
		return place.RelaxNone
	}
	var medians [place.Relaxations]float64
	for i := range t.took {
		took := t.took[i][:n]
		slices.Sort(took)
		medians[i] = float64(took[n/2])
	}
	least := slices.Min(medians[:])
	if least >= medians[place.RelaxNone]*trialGain {
		return place.RelaxNone
	}
	return place.Relaxation(slices.Index(medians[:], least))
}
