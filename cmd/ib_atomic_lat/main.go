// ib_atomic_lat measures the latency of atomic operations.
//
//	ib_atomic_lat [options]         start a server; it takes the client's options
//	ib_atomic_lat [options] HOST    run against the server at HOST
//
// For example, FETCH_AND_ADD, polled for and slept for, side by side:
//
//	node1$ ib_atomic_lat
//	node2$ ib_atomic_lat --compare node1
//
// --help lists the options. Exit status: 0 done, 1 other, 2 usage, 3 device,
// 4 peer, 5 wrong data, 6 completion mode refused.
package main

import (
	"os"

	"github.com/ibperf/ibperf/internal/cli"
	"github.com/ibperf/ibperf/option"
)

func main() { os.Exit(cli.Main(option.OpAtomic, option.KindLatency, os.Args, os.Stdout, os.Stderr)) }
