package main

import (
	"fmt"
	"os"
	"time"
)

// attack is one way to harm a program, which is tried several times.
type attack struct {
	name   string
	trials int                // in make attack
	sample int                // in make test; 0: none, because a trial takes long
	try    func(*trial) error // returns what did not hold; nil: all did
}

// outcome is the outcome of an attack's trials.
type outcome struct {
	name         string
	trials, held int
	memory       int           // largest resident set of a victim, in bytes
	longest      time.Duration // of what a trial has timed, or else of the trial
	failures     []string
}

// repeat tries an attack a number of times on the programs in a folder.
func (a *attack) repeat(bin string, trials int) outcome {
	o := outcome{name: a.name, trials: trials}
	for i := range trials {
		t, err := a.once(bin)
		o.memory, o.longest = max(o.memory, t.memory), max(o.longest, t.time)
		if err != nil {
			o.failures = append(o.failures, fmt.Sprintf("trial %d: %v", i+1, err))
			continue
		}
		o.held++
	}
	return o
}

// once makes one trial.
func (a *attack) once(bin string) (t *trial, err error) {
	t = &trial{bin: bin}
	if t.dir, err = os.MkdirTemp("", "ibperf-attack-"); err != nil {
		return t, err
	}
	defer os.RemoveAll(t.dir)
	defer t.end()
	begun := time.Now()
	err = a.try(t)
	if t.time == 0 {
		t.time = time.Since(begun)
	}
	t.measure()
	return t, err
}

// want returns an error unless something holds.
func want(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}
