package main

import (
	"regexp"
	"slices"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// A match is a bench that two programs measure in turns. Each goal is a line.
type match struct {
	bench
	setup
	subject, reference program
	goals              []goal
	slow               bool // it is measured in every other round only
}

// A goal is what the median ratio of a metric is to be at most, or at least where
// higher is better; 0: there is none.
type goal struct {
	metric string
	ratio  float64
}

// String names the match by its bench, its device and what it is compared with.
func (m match) String() string {
	return m.bench.String() + ", " + m.device + ": " + m.reference.label().String()
}

// against makes a match of a bench for its own metric.
func (s setup) against(b bench, reference program, ratio float64) match {
	return match{b, s, &ibperf{s}, reference, []goal{{b.metric, ratio}}, false}
}

// shared makes a match of a bench over a transport with shared receives, against the same over RC.
func (s setup) shared(b bench, transport string) match {
	return match{over(transport, b), s, &ibperf{s}, plainRC{&ibperf{s}}, []goal{{b.metric, 0.5}}, false}
}

// matches are all that are measured on the device of the setup.
func (s setup) matches() []match {
	switch {
	case s.embedded():
		return s.embeddedMatches()
	case s.device == stubDevice:
		return append(s.perftestMatches(stubIters), s.transportMatches(stubIters)...)
	}
	return append(s.perftestMatches(rdmaIters), s.resourceMatches(&perftest{s})...)
}

// matching returns the matches whose names match.
func matching(all []match, only *regexp.Regexp) []match {
	return slices.DeleteFunc(slices.Clone(all), func(m match) bool { return !only.MatchString(m.String()) })
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// mean is a bench whose number is the mean of all samples.
func mean(b bench) bench {
	b.metric = comparison.MetricMean
	return b
}

// noGoal is the ratio of a line that compares different things.
const noGoal = 0

// embeddedMatches hold an embedded device against UCX and against what the machine
// does at best. Iterations make a run take some 0.3 s, as the machine may change
// within seconds: many short pairs tell more than few long ones.
func (s setup) embeddedMatches() []match {
	shm := []string{"-d", "memory", "-x", "posix"}
	k64, m1, m8 := bandwidth("write", 64*kib, "poll", 1e5), bandwidth("write", mib, "poll", 7000), bandwidth("write", 8*mib, "poll", 250)
	k4, read := bandwidth("write", 4*kib, "poll", 2e6), bandwidth("read", 64*kib, "poll", 1e5)
	woken := latency("send", 8, "event", 5000)
	return []match{
		s.against(mean(latency("write", 8, "data", 1e6)), &ucx{"put_lat", 8, 1e6, shm}, 1),
		s.against(mean(latency("send", 8, "poll", 5e5)), &ucx{"am_lat", 8, 5e5, shm}, 1),
		s.against(bandwidth("write", 8, "poll", 10e6), &ucx{"put_bw", 8, 10e6, shm}, 2),
		s.against(bandwidth("send", 8, "poll", 4e6), &ucx{"am_bw", 8, 4e6, shm}, 2),
		s.shared(bandwidth("send", 8, "poll", 4e6), "--use-srq"),
		s.shared(bandwidth("send", 8, "poll", 4e6), "-c XRC"),
		s.against(k64, &ucx{"ucp_put_bw", k64.size, k64.iters, nil}, 1),
		s.against(m1, &ucx{"ucp_put_bw", m1.size, m1.iters, nil}, 1),
		s.against(read, &ucx{"ucp_get", read.size, read.iters, nil}, 1),
		s.against(k4, s.ascending(k4), 0.95),
		s.against(k64, s.ascending(k64), 0.95),
		s.against(m8, s.ascending(m8), 0.95),
		s.against(woken, s.eventfd(woken), 1.1),
		s.against(m1, &ucx{"put_bw", 8 * kib, 1e6, append(shm, "-D", "bcopy")}, noGoal),
		s.against(k64, s.memcpy(k64), noGoal),
		s.against(m8, s.memcpy(m8), noGoal),
	}
}

// stubDevice is the device of the libibverbs in verbs/ibv/testdata, which both programs
// load in place of the real one.
const stubDevice = "stub0"

// iterations are so many that a run takes a fraction of a second on the stub, and a second
// or two on an emulated machine.
type iterations struct{ small, large, small1, large1, woken int }

var (
	rdmaIters = iterations{small: 5000, large: 250, small1: 600, large1: 600, woken: 600}
	stubIters = iterations{small: 4e6, large: 1e5, small1: 1e6, large1: 4e5, woken: 2e4}
)

// perftestMatches hold ibperf against perftest, in all that both can measure: not events of
// READs, nor of WRITEs at their sender, which on rxe and the stub are done before anybody
// could sleep for them.
func (s setup) perftestMatches(n iterations) []match {
	reference := &perftest{s}
	var all []match
	for _, by := range []struct {
		op                 string
		bandwidth, latency []string // arrivals
	}{
		{"write", []string{"poll"}, []string{"data"}},
		{"send", []string{"poll", "event"}, []string{"poll", "event"}},
		{"read", []string{"poll"}, []string{"poll"}},
	} {
		for _, arrival := range by.bandwidth {
			all = append(all,
				s.against(bandwidth(by.op, 64*kib, arrival, n.large), reference, 1),
				s.against(bandwidth(by.op, 8, arrival, n.small), reference, 1))
		}
		for _, arrival := range by.latency {
			small, large := n.small1, n.large1
			if arrival == "event" {
				small, large = n.woken, n.woken
			}
			all = append(all,
				s.against(latency(by.op, 2, arrival, small), reference, 1),
				s.against(latency(by.op, 4*kib, arrival, large), reference, 1))
		}
	}
	return all
}

// transportMatches hold ibperf against perftest with atomic operations, the other transports
// and shared receives, in short runs. What UC and UD carry has no rate: it is up to what is lost.
func (s setup) transportMatches(n iterations) []match {
	reference := &perftest{s}
	short := n.small1 / 4
	all := []match{
		s.against(bandwidth("atomic", 8, "poll", n.small1), reference, 1),
		s.against(latency("atomic", 8, "poll", short), reference, 1),
		s.against(over("-c UC", latency("write", 2, "data", short)), reference, 1),
	}
	for _, transport := range []string{"-c UC", "-c UD", "-c XRC", "--use-srq"} {
		all = append(all, s.against(over(transport, latency("send", 2, "poll", short)), reference, 1))
	}
	for _, transport := range []string{"-c XRC", "--use-srq"} {
		all = append(all, s.against(over(transport, bandwidth("send", 8, "poll", short)), reference, 1))
	}
	return all
}

// manyQPs is how many QPs are very many.
const manyQPs = 1024

// resourceMatches are about whole runs: of very many QPs, on the device and on the
// embedded one, and of the defaults.
func (s setup) resourceMatches(reference program) []match {
	many := bench{"write", result.KindBandwidth, 4 * kib, "poll", comparison.MetricWall, 5, manyQPs, 1, ""}
	plain := bench{op: "write", kind: result.KindBandwidth, size: 64 * kib, arrival: "poll", metric: comparison.MetricWall}
	goals := []goal{{comparison.MetricWall, 1}, {comparison.MetricMemory, 1}}
	embedded := s
	embedded.device = "shm_whole"
	return []match{
		{many, s, &ibperf{s}, reference, goals, true},
		{many, embedded, &ibperf{embedded}, reference, goals, true},
		{plain, s, &ibperf{s}, reference, []goal{{comparison.MetricWall, 0.5}}, true},
	}
}
