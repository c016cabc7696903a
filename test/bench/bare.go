package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/test/bench/comparison"
)

// bare is a program of folder c that does only what a bench cannot do without, such as copying. It is a
// single process, configured by its arguments.
type bare struct {
	path    string
	args    []int
	defined string // what definition returns
	differs string // what note returns
}

// memcpy returns a program that copies messages with memcpy(3), which promises no order.
func (s setup) memcpy(b bench) *bare {
	p := s.copies("memcpy", "calls of memcpy", b)
	p.differs = "The C library's memcpy promises no order, the device does. " + p.differs
	return p
}

// ascending returns a program that copies messages from the lowest address to the highest.
func (s setup) ascending(b bench) *bare {
	return s.copies("ascending", "copies by aligned plain stores in ascending order, of the widest vectors that the CPU has, "+
		"with prefetching if that is faster,", b)
}

// copies returns a program that copies messages between buffers like those of ibperf.
func (s setup) copies(program, how string, b bench) *bare {
	return &bare{path: filepath.Join(s.bin, program), args: []int{b.size, slots, b.iters},
		defined: "bytes / time of all " + how + " by one thread, from one shared memory to another (memfd), " +
			"always from the same buffer to the same buffer; all pages were touched before",
		differs: "ibperf's messages also have one source and one destination, in memory of two processes; " +
			"it posts each message as a request and polls a completion for each cq-mod messages. "}
}

// slots is the number of source and destination buffers that the programs use in turn. It is 1, as in
// ibperf's runs, in which the receiver does not read the messages.
const slots = 1

// eventfd returns a program that plays ping-pong over eventfds between two processes, on the CPUs of
// server and client.
func (s setup) eventfd(b bench) *bare {
	return &bare{path: filepath.Join(s.bin, "eventfd"), args: []int{s.cpus[0], b.iters},
		defined: "the median of all samples; a sample is half of the round trip of a ping-pong between two processes, " +
			"each of which writes the other's eventfd and sleeps in read of its own",
		differs: "The eventfds carry no message and have no completion queue. "}
}

// pingpong returns a program that plays ping-pong with words in shared memory between two processes, on the CPUs of
// server and client.
func (s setup) pingpong(b bench) *bare {
	return &bare{path: filepath.Join(s.bin, "pingpong"), args: []int{s.cpus[0], b.iters},
		defined: "the median of all samples; a sample is half of the round trip of a ping-pong between two processes, " +
			"each of which spins on a word in a cache line of its own that the other one writes",
		differs: "The ping-pong has no requests, keys or completions: it is the time that the CPUs need to pass on a line. "}
}

func (p *bare) label() label { return label{name: filepath.Base(p.path)} }

// release returns the releases of compiler and C library.
func (p *bare) release(ctx context.Context) (string, error) {
	return releaseOf(exec.CommandContext(ctx, p.path), 0)
}

func (*bare) server(bench, int, string) []string { return nil }

func (p *bare) client(bench, int, string) []string {
	command := []string{p.path}
	for _, n := range p.args {
		command = append(command, strconv.Itoa(n))
	}
	return command
}

// bareUnits holds the unit of the number that the programs print, by metric.
var bareUnits = map[string]string{comparison.MetricBandwidth: "bytes/s", comparison.MetricLatency: "ns"}

func (p *bare) read(b bench, stdout, _ string) (reading, error) {
	var r reading
	var unit string
	if _, err := fmt.Sscan(stdout, &r.value, &unit); err != nil || unit != bareUnits[b.metric] || !(r.value > 0) {
		return r, fmt.Errorf("%s printed %q, want a number of %s", p.label().name, strings.TrimSpace(stdout), bareUnits[b.metric])
	}
	return r, nil
}

func (p *bare) definition(bench) string { return p.defined }
func (p *bare) note(bench) string       { return p.differs }
