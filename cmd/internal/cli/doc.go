// Package cli is the command line of the programs. It parses options by the table in package
// option, agrees with the peer on a plan over the messages of package oob, runs the plan by the
// engine in package harness, and prints the output of package reports. Each program's main calls
// one function of it: [Main], [Compare], [Verify], [Conform], [Cluster] or [Caps].
//
// # The course of a run
//
//	client                                   server
//	parse options                            parse options
//	choose and open a device                 listen
//	connect ───────────────────────────────▶ accept
//	"plan": test, plan, options given ─────▶ check, merge own options, open a device
//	  ◀─────────────── "answer": the final plan, or a refusal
//	harness.Run ◀──────────────────────────▶ harness.Run
//	rows, result file, exit status           rows, result file, exit status
//
// A server serves the test that the client asks for, whatever the server's own name. A side that
// ends a run early sends the peer its reason, with a class if the peer exits with the same status:
// see [Status].
//
// # Files by topic
//
//	main.go            a test's program: Main, and what all programs share
//	options*.go        a command line: options, flags, help, --payload_file_path
//	client.go          the client: connects, asks a busy server again
//	server*.go         the server: listens, one client or many (--persistent), --ready-file
//	agreement*.go      the plan: proposed by the client, merged and answered by the server, taken by the client
//	session*.go        a run with one peer, from the agreement to the result; --run_infinitely
//	compare*.go        ib_compare: its runs, the processes that make them, and their series on one server
//	verify*.go         ib_verify: its command line, its checks and their end
//	conform*.go        ib_conform: its run, its client and its server
//	caps.go            ib_caps
//	cluster.go         ib_cluster
//	device*.go         choosing and opening a device; its address
//	memory_budget.go   memory and QPs that runs may take (--max-memory, --max-qp)
//	output*.go         console, progress line, result file, limits of figures, files that can be written
//	exit*.go           exit statuses, errors, and the classes that peers send each other
//	secret.go          --secret-file
//	signal.go          SIGINT, SIGTERM, SIGHUP
package cli

import "github.com/ibperf/ibperf/internal/version"

// ownRelease is this program's build in messages and files: one word.
var ownRelease = version.Current().String()
