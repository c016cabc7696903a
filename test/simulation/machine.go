package main

import (
	"math"
	"math/rand/v2"
)

// The modes that a simulated comparison measures. Adaptive and control take as long as poll.
const (
	data = iota
	poll
	adaptive
	event
	control
	modes
)

// base holds the time of each mode in nanoseconds where nothing disturbs it.
var base = [modes]float64{data: 66, poll: 175, adaptive: 175, event: 17000, control: 175}

// A machine is a model of a host. Deviations are standard deviations of logarithms: 0.03 is 3 %.
type machine struct {
	name string

	fastS, slowS float64        // mean time that the host stays in its fast and in its slow state
	slower       [modes]float64 // factor by which the slow state slows each mode

	wander, wanderS float64 // speed that all modes share: its deviation, and the time in which it changes
	burst, burstS   float64 // bursts of other work per second, and their mean length; each doubles times or more

	run   [modes]float64 // deviation of a mode's runs, from the placement of its memory and threads
	round float64        // deviation of a round of 10 ms; longer ones vary less
	tail  float64        // fraction of rounds that are slow by themselves
}

// machines are the hosts on which the tests check the coverage. Switching has the numbers of a virtual
// machine with two CPUs: 25 comparisons by [single] within 75 seconds.
var machines = []machine{
	{
		name:  "switching",
		fastS: 12, slowS: 3, slower: [modes]float64{data: 3, poll: 2.45, adaptive: 2.45, event: 1.13, control: 2.45},
		wander: 0.12, wanderS: 0.1,
		run:   [modes]float64{data: 0.06, poll: 0.025, adaptive: 0.025, event: 0.2, control: 0.025},
		round: 0.02, tail: 0.02,
	},
	{
		name:  "stable",
		run:   [modes]float64{data: 0.005, poll: 0.005, adaptive: 0.005, event: 0.02, control: 0.005},
		round: 0.01,
	},
	{
		name:   "drifting",
		wander: 0.3, wanderS: 2,
		run:   [modes]float64{data: 0.02, poll: 0.02, adaptive: 0.02, event: 0.1, control: 0.02},
		round: 0.03,
	},
	{
		name:  "bursty",
		burst: 1, burstS: 0.05, wander: 0.05, wanderS: 5,
		run:   [modes]float64{data: 0.02, poll: 0.02, adaptive: 0.02, event: 0.1, control: 0.02},
		round: 0.04, tail: 0.02,
	},
}

// A host is a machine with its present state.
type host struct {
	machine
	rnd      *rand.Rand
	now      float64
	slow     bool
	switchAt float64 // when the state changes
	shared   float64 // present logarithm of the shared speed
	burstAt  float64 // when the present or next burst begins and ends
	burstEnd float64
	slowdown float64 // logarithm of the burst's factor
}

// newHost returns a machine at a random time of its life.
func newHost(m machine, rnd *rand.Rand) *host {
	h := &host{machine: m, rnd: rnd, switchAt: math.Inf(1), burstAt: math.Inf(1), shared: m.wander * rnd.NormFloat64()}
	if m.slowS > 0 {
		h.slow = rnd.Float64() < m.slowS/(m.fastS+m.slowS)
		h.switchAt = h.dwell()
	}
	if m.burst > 0 {
		h.nextBurst(0)
	}
	return h
}

// dwell returns for how long the host stays in its present state.
func (h *host) dwell() float64 {
	if h.slow {
		return h.rnd.ExpFloat64() * h.slowS
	}
	return h.rnd.ExpFloat64() * h.fastS
}

func (h *host) nextBurst(after float64) {
	h.burstAt = after + h.rnd.ExpFloat64()/h.burst
	h.burstEnd = h.burstAt + h.rnd.ExpFloat64()*h.burstS
	h.slowdown = math.Ln2 + 0.5*h.rnd.ExpFloat64()
}

// wait lets seconds pass.
func (h *host) wait(seconds float64) {
	h.now += seconds
	for h.now >= h.switchAt {
		h.slow = !h.slow
		h.switchAt += h.dwell()
	}
	for h.now >= h.burstEnd && h.burst > 0 {
		h.nextBurst(h.burstEnd)
	}
	if h.wander > 0 {
		keep := math.Exp(-seconds / h.wanderS)
		h.shared = keep*h.shared + math.Sqrt(1-keep*keep)*h.wander*h.rnd.NormFloat64()
	}
}

// measure returns the figure of one round of a mode, whose run has the level own. The median of a
// round's messages is that of the state in the round's middle.
func (h *host) measure(mode int, own, seconds float64) float64 {
	h.wait(seconds / 2)
	v := math.Log(base[mode]) + h.shared + own + h.round*math.Sqrt(0.01/seconds)*h.rnd.NormFloat64()
	if h.slow {
		v += math.Log(h.slower[mode])
	}
	if h.now >= h.burstAt && h.now < h.burstEnd {
		v += h.slowdown
	}
	if h.rnd.Float64() < h.tail {
		v += 0.5 * h.rnd.ExpFloat64()
	}
	h.wait(seconds / 2)
	return math.Exp(v)
}
