package main

import (
	"regexp"
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// A match is a bench that two programs measure. Each of its goals is a line.
type match struct {
	bench
	setup
	subject, reference program
	goals              []goal
	slow               bool // measured in every second round only
}

// A goal is the maximum of the median ratio of a metric, or its minimum if higher is better. 0 is no
// goal. With a class it is one for those pairs only.
type goal struct {
	metric string
	ratio  float64
	class  *comparison.Class
}

// near and far are the pairs in which the ping-pong in C shows that the CPUs of both processes do, or do not, share a cache: the
// hypervisor moves them.
var (
	near = &comparison.Class{Name: "near CPUs", Below: 150}
	far  = &comparison.Class{Name: "far CPUs", From: 150}
)

// String returns bench, device and reference.
func (m match) String() string {
	return m.bench.String() + ", " + m.device + ": " + m.reference.label().String()
}

// matchWith returns a match of ibperf with a reference, in which the ratio of the bench's metric has a
// goal.
func (s setup) matchWith(b bench, reference program, ratio float64) match {
	return match{b, s, &ibperf{s}, reference, []goal{{b.metric, ratio, nil}}, false}
}

// matchWithPlainRC returns a match of a bench with an SRQ or over XRC, whose reference is the same bench
// over RC without an SRQ.
func (s setup) matchWithPlainRC(b bench, transport string) match {
	return match{withTransport(transport, b), s, &ibperf{s}, plainRC{&ibperf{s}}, []goal{{b.metric, 0.5, nil}}, false}
}

// matches returns all matches of the device of the setup.
func (s setup) matches() []match {
	switch {
	case s.embedded():
		return s.embeddedMatches()
	case s.device == stubDevice:
		return append(s.perftestMatches(stubIters), s.transportMatches(stubIters)...)
	}
	return append(s.perftestMatches(rdmaIters), s.resourceMatches(&perftest{s})...)
}

// matching returns the matches with names that match the expression.
func matching(all []match, only *regexp.Regexp) []match {
	return slices.DeleteFunc(slices.Clone(all), func(m match) bool { return !only.MatchString(m.String()) })
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// mean returns the bench with the mean of all samples as its metric.
func mean(b bench) bench {
	b.metric = comparison.MetricMean
	return b
}

// noGoal is the ratio of a line that compares different things.
const noGoal = 0

// embeddedMatches returns matches of an embedded device with UCX and with programs that only copy or only
// wake. A run takes about 0.3 s. A virtual CPU may change its speed within seconds, and then many short
// pairs are more exact than few long ones.
func (s setup) embeddedMatches() []match {
	shm := []string{"-d", "memory", "-x", "posix"}
	k64, m1, m8 := bandwidth(option.OpWrite, 64*kib, option.ModePoll, 1e5), bandwidth(option.OpWrite, mib, option.ModePoll, 7000), bandwidth(option.OpWrite, 8*mib, option.ModePoll, 250)
	k4, read := bandwidth(option.OpWrite, 4*kib, option.ModePoll, 2e6), bandwidth(option.OpRead, 64*kib, option.ModePoll, 1e5)
	writeData, sendEvent := latency(option.OpWrite, 8, option.ModeData, 1e6), latency(option.OpSend, 8, option.ModeEvent, 5000)
	return []match{
		s.matchWith(mean(latency(option.OpWrite, 8, option.ModeData, 1e6)), &ucx{"put_lat", 8, 1e6, shm}, 1),
		{writeData, s, &ibperf{s}, s.pingpong(writeData), []goal{{writeData.metric, 1.2, near}, {writeData.metric, 1.05, far}}, false},
		s.matchWith(mean(latency(option.OpSend, 8, option.ModePoll, 5e5)), &ucx{"am_lat", 8, 5e5, shm}, 1),
		s.matchWith(bandwidth(option.OpWrite, 8, option.ModePoll, 10e6), &ucx{"put_bw", 8, 10e6, shm}, 2),
		s.matchWith(bandwidth(option.OpSend, 8, option.ModePoll, 4e6), &ucx{"am_bw", 8, 4e6, shm}, 2),
		s.matchWithPlainRC(bandwidth(option.OpSend, 8, option.ModePoll, 4e6), "--use-srq"),
		s.matchWithPlainRC(bandwidth(option.OpSend, 8, option.ModePoll, 4e6), "-c XRC"),
		s.matchWith(k64, &ucx{"ucp_put_bw", k64.size, k64.iters, nil}, 1),
		s.matchWith(m1, &ucx{"ucp_put_bw", m1.size, m1.iters, nil}, 1),
		s.matchWith(read, &ucx{"ucp_get", read.size, read.iters, nil}, 1),
		s.matchWith(k4, s.ascending(k4), 0.95),
		s.matchWith(k64, s.ascending(k64), 0.95),
		s.matchWith(m8, s.ascending(m8), 0.95),
		s.matchWith(sendEvent, s.eventfd(sendEvent), 1.1),
		s.matchWith(m1, &ucx{"put_bw", 8 * kib, 1e6, append(shm, "-D", "bcopy")}, noGoal),
		s.matchWith(k64, s.memcpy(k64), noGoal),
		s.matchWith(m8, s.memcpy(m8), noGoal),
	}
}

// stubDevice is the device of the libibverbs in verbs/ibv/testdata, which both programs
// load in place of the real one.
const stubDevice = "stub0"

// iterations holds the messages of a run by kind of bench. A run takes a fraction of a second on the stub,
// and one or two seconds on an emulated machine.
type iterations struct{ smallBandwidth, largeBandwidth, smallLatency, largeLatency, event int }

var (
	rdmaIters = iterations{smallBandwidth: 5000, largeBandwidth: 250, smallLatency: 600, largeLatency: 600, event: 600}
	stubIters = iterations{smallBandwidth: 4e6, largeBandwidth: 1e5, smallLatency: 1e6, largeLatency: 4e5, event: 2e4}
)

// perftestMatches returns matches with perftest of everything that both can measure. Events of READs and
// of a sender's WRITEs are left out: on rxe and the stub these complete before a sleep could begin.
func (s setup) perftestMatches(n iterations) []match {
	reference := &perftest{s}
	var all []match
	for _, by := range []struct {
		op                 option.Op
		bandwidth, latency []option.Mode
	}{
		{option.OpWrite, []option.Mode{option.ModePoll}, []option.Mode{option.ModeData}},
		{option.OpSend, []option.Mode{option.ModePoll, option.ModeEvent}, []option.Mode{option.ModePoll, option.ModeEvent}},
		{option.OpRead, []option.Mode{option.ModePoll}, []option.Mode{option.ModePoll}},
	} {
		for _, mode := range by.bandwidth {
			all = append(all,
				s.matchWith(bandwidth(by.op, 64*kib, mode, n.largeBandwidth), reference, 1),
				s.matchWith(bandwidth(by.op, 8, mode, n.smallBandwidth), reference, 1))
		}
		for _, mode := range by.latency {
			small, large := n.smallLatency, n.largeLatency
			if mode == option.ModeEvent {
				small, large = n.event, n.event
			}
			all = append(all,
				s.matchWith(latency(by.op, 2, mode, small), reference, 1),
				s.matchWith(latency(by.op, 4*kib, mode, large), reference, 1))
		}
	}
	return all
}

// transportMatches returns matches with perftest of atomic operations, other transports and SRQs, in short
// runs. UC and UD have no bandwidth test, since its result depends on the losses.
func (s setup) transportMatches(n iterations) []match {
	reference := &perftest{s}
	short := n.smallLatency / 4
	all := []match{
		s.matchWith(bandwidth(option.OpAtomic, 8, option.ModePoll, n.smallLatency), reference, 1),
		s.matchWith(latency(option.OpAtomic, 8, option.ModePoll, short), reference, 1),
		s.matchWith(withTransport("-c UC", latency(option.OpWrite, 2, option.ModeData, short)), reference, 1),
	}
	for _, transport := range []string{"-c UC", "-c UD", "-c XRC", "--use-srq"} {
		all = append(all, s.matchWith(withTransport(transport, latency(option.OpSend, 2, option.ModePoll, short)), reference, 1))
	}
	for _, transport := range []string{"-c XRC", "--use-srq"} {
		all = append(all, s.matchWith(withTransport(transport, bandwidth(option.OpSend, 8, option.ModePoll, short)), reference, 1))
	}
	return all
}

// manyQPs is the number of QPs of the benches that measure setup time and memory.
const manyQPs = 1024

// resourceMatches returns matches of whole runs: with manyQPs QPs, on the device and on the embedded one,
// and with default options.
func (s setup) resourceMatches(reference program) []match {
	write := option.Test{Op: option.OpWrite, Kind: option.KindBandwidth}
	many := bench{write, 4 * kib, option.ModePoll, comparison.MetricWall, 5, manyQPs, 1, ""}
	plain := bench{Test: write, size: 64 * kib, mode: option.ModePoll, metric: comparison.MetricWall}
	goals := []goal{{comparison.MetricWall, 1, nil}, {comparison.MetricMemory, 1.05, nil}}
	embedded := s
	embedded.device = "shm_whole"
	return []match{
		{many, s, &ibperf{s}, reference, goals, true},
		{many, embedded, &ibperf{embedded}, reference, goals, true},
		{plain, s, &ibperf{s}, reference, []goal{{comparison.MetricWall, 0.5, nil}}, true},
	}
}
