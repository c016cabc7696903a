// Package cli is the command line of the programs: it reads flags, agrees with
// the peer on a plan, runs it by the engine in package harness and prints what
// package reports makes of the result. Nothing but a program's main calls it.
//
// # The course of a run
//
//	client                                   server
//	parse flags                              parse flags
//	choose and open a device                 listen
//	connect ───────────────────────────────▶ accept
//	"plan": plan, options given, device ───▶ check, merge own options, open a device
//	  ◀─────────────── "answer": the final plan, or why there is none
//	harness.Run ◀──────────────────────────▶ harness.Run
//	rows, result file, exit status           rows, result file, exit status
//
// What ends a run early is told to the peer, with a word in front where the peer
// ends with the same exit status: see [Status].
package cli

import (
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/reports/result"
)

// Release is the version of ibperf.
const Release = "0.1.0"

// spec tells the programs apart.
type spec struct {
	op   harness.Op
	kind string // result.KindLatency or result.KindBandwidth
}

// program is the name of the program, whatever its file is called.
func (s spec) program() string { return "ib_" + string(s.op) + "_" + s.kind }

func (s spec) bandwidth() bool { return s.kind == result.KindBandwidth }

// title says what the program measures.
func (s spec) title() string {
	what := "latency"
	if s.bandwidth() {
		what = "bandwidth"
	}
	return what + " of RDMA " + string(s.op) + " operations"
}
