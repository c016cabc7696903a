// ib_write_lat measures the latency of RDMA WRITE.
//
//	ib_write_lat [options]         start a server; it takes the client's options
//	ib_write_lat [options] HOST    run against the server at HOST
//
// For example, all completion modes side by side:
//
//	node1$ ib_write_lat
//	node2$ ib_write_lat --compare -s 64K node1
//
// --help lists the options. Exit status: 0 done, 1 other, 2 usage, 3 device,
// 4 peer, 5 wrong data, 6 completion mode refused.
package main

import (
	"os"

	"github.com/ibperf/ibperf/internal/cli"
	"github.com/ibperf/ibperf/option"
)

func main() { os.Exit(cli.Main(option.OpWrite, option.KindLatency, os.Args, os.Stdout, os.Stderr)) }
