// ib_write_lat measures the latency of RDMA WRITE.
//
//	ib_write_lat [options]         start a server; it uses the client's options
//	ib_write_lat [options] HOST    run against the server at HOST
//
// For example, all completion modes, compared:
//
//	node1$ ib_write_lat
//	node2$ ib_write_lat --compare -s 64K node1
//
// --help lists the options. docs/EXIT-STATUS.md lists the exit statuses.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/option"
)

func main() { os.Exit(cli.Main(option.OpWrite, option.KindLatency, os.Args, os.Stdout, os.Stderr)) }
