package main

import (
	"context"
	"fmt"

	"github.com/ibperf/ibperf/reports"
)

// A program can be run as server and client, and what it prints be understood.
type program interface {
	name() string
	release(ctx context.Context) (string, error)
	// server and client are command lines. The server listens on port until its
	// client has been served; dir is an empty folder that both may write to.
	server(b bench, port int, dir string) []string
	client(b bench, port int, dir string) []string
	// read finds the number of a finished run in what the client printed or wrote.
	read(b bench, stdout, dir string) (reading, error)
	// definition says what the number of a bench counts and times, note what is
	// different in ibperf and what that does to the ratio.
	definition(b bench) string
	note(b bench) string
}

// A reading is what a run measured.
type reading struct {
	value    float64           // in the unit of the bench's metric
	warnings []reports.Warning // about all that the program measures
	doubts   []reports.Warning // about this run
}

func (s setup) program(name string) (program, error) {
	switch name {
	case "ibperf":
		return &ibperf{s}, nil
	case "perftest":
		return &perftest{s}, nil
	}
	return nil, fmt.Errorf("%s: choose ibperf or perftest", name)
}
