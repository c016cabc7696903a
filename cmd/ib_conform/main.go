// ib_conform checks an RDMA device against the semantics of libibverbs. It can crash a host with a
// faulty driver or firmware.
//
//	ib_conform --loopback [options]    run the statements of the suite on this host
//	ib_conform [options]               start a server that runs the peer processes
//	ib_conform [options] HOST          run the statements with the server at HOST
//	ib_conform --list                  print the statements with their sources
//
// --help lists the options. Exit status: 0 all hold, 1 other, 2 usage, 3 device, 4 peer,
// 8 a statement does not hold.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/internal/conform"
)

func main() {
	conform.Child()
	os.Exit(cli.Conform(os.Args, os.Stdout, os.Stderr))
}
