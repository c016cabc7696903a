// Package cli is the command line of the programs: roles, console and exit statuses. It
// reads options by the table in package option, agrees with the peer on a plan, runs it by
// the engine in package harness and prints what package reports makes of the result.
// Nothing but a program's main calls it.
//
// # The course of a run
//
//	client                                   server
//	parse options                            parse options
//	choose and open a device                 listen
//	connect ───────────────────────────────▶ accept
//	"plan": test, plan, options given ─────▶ check, merge own options, open a device
//	  ◀─────────────── "answer": the final plan, or why there is none
//	harness.Run ◀──────────────────────────▶ harness.Run
//	rows, result file, exit status           rows, result file, exit status
//
// A server serves the test that the client asks for, whatever the server's own name is.
// What ends a run early is told to the peer, with a class where the peer ends with the
// same exit status: see [Status].
package cli

import "github.com/ibperf/ibperf/internal/version"

// ownRelease is what this side tells peers and files of its build: one word.
var ownRelease = version.Current().String()
