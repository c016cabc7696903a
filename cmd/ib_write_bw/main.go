// ib_write_bw measures the bandwidth of RDMA WRITE.
//
//	ib_write_bw [options]         start a server; it uses the client's options
//	ib_write_bw [options] HOST    run against the server at HOST
//
// For example, all completion modes, compared:
//
//	node1$ ib_write_bw
//	node2$ ib_write_bw --compare -s 64K node1
//
// --help lists the options. docs/EXIT-STATUS.md lists the exit statuses.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/option"
)

func main() { os.Exit(cli.Main(option.OpWrite, option.KindBandwidth, os.Args, os.Stdout, os.Stderr)) }
