package main

import (
	"context"

	"github.com/ibperf/ibperf/reports/result"
	"github.com/ibperf/ibperf/test/sidebyside/comparison"
)

// A program can be run as server and client, and what it prints be understood.
type program interface {
	label() label
	release(ctx context.Context) (string, error)
	// server and client are command lines. The server listens on port until its
	// client has been served; without words there is none. dir is an empty folder
	// that both may write to.
	server(b bench, port int, dir string) []string
	client(b bench, port int, dir string) []string
	// read finds the number of a finished run in what the client printed or wrote.
	read(b bench, stdout, dir string) (reading, error)
	// definition says what the number of a bench counts and times, note what is
	// different in ibperf and what that does to the ratio.
	definition(b bench) string
	note(b bench) string
}

// A label says which program it is, which part of it measures, and on what device.
type label struct{ name, part, device string }

// String is without the device.
func (l label) String() string {
	if l.part == "" {
		return l.name
	}
	return l.name + " " + l.part
}

// A reading is what a run measured.
type reading struct {
	value    float64          // in the unit of the bench's metric
	seconds  float64          // of the whole run, server and client
	memory   float64          // peaks of server and client together, bytes
	warnings []result.Warning // about all that the program measures
	doubts   []result.Warning // about this run
}

// of is the number of a metric.
func (r *reading) of(metric string) float64 {
	switch metric {
	case comparison.MetricWall:
		return r.seconds
	case comparison.MetricMemory:
		return r.memory
	}
	return r.value
}
