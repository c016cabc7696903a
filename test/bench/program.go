package main

import (
	"context"

	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/test/bench/comparison"
)

// A program can be run as server and client, and its output can be read.
type program interface {
	label() label
	release(ctx context.Context) (string, error)
	// server and client return command lines; an empty one means that there is no server. The server
	// listens on port and ends after one client. dir is an empty folder that both may write to.
	server(b bench, port int, dir string) []string
	client(b bench, port int, dir string) []string
	// read returns the number of a finished run, from the output or a file of the client.
	read(b bench, stdout, dir string) (reading, error)
	// definition returns the meaning of the number of a bench; note returns the difference to ibperf and
	// its effect on the ratio.
	definition(b bench) string
	note(b bench) string
}

// A label names a program, its test and its device.
type label struct{ name, part, device string }

// String returns the label without the device.
func (l label) String() string {
	if l.part == "" {
		return l.name
	}
	return l.name + " " + l.part
}

// A reading holds the numbers of a run.
type reading struct {
	value           float64          // in the unit of the bench's metric
	seconds         float64          // of the whole run, server and client
	memory          float64          // peaks of server and client together, bytes
	programWarnings []result.Warning // about everything that the program measures
	runWarnings     []result.Warning // about this run
}

// number returns the value of a metric.
func (r *reading) number(metric string) float64 {
	switch metric {
	case comparison.MetricWall:
		return r.seconds
	case comparison.MetricMemory:
		return r.memory
	}
	return r.value
}
