// ib_atomic_lat measures the latency of atomic operations.
//
//	ib_atomic_lat [options]         start a server; it uses the client's options
//	ib_atomic_lat [options] HOST    run against the server at HOST
//
// For example, FETCH_AND_ADD in modes poll, adaptive and event:
//
//	node1$ ib_atomic_lat
//	node2$ ib_atomic_lat --compare node1
//
// --help lists the options. docs/EXIT-STATUS.md lists the exit statuses.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/option"
)

func main() { os.Exit(cli.Main(option.OpAtomic, option.KindLatency, os.Args, os.Stdout, os.Stderr)) }
