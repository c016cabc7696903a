// ibperf has all programs of this module, for packages: ibperf write_lat is ib_write_lat. Under the name of
// one of them, such as a link ib_write_lat, it is that program. It starts ib_report for what is drawn.
//
//	ibperf PROGRAM [options] [HOST]
//
// --help lists the programs. docs/EXIT-STATUS.md lists the exit statuses.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/internal/conform"
)

func main() {
	conform.Child()
	os.Exit(cli.Ibperf(os.Args, os.Stdout, os.Stderr))
}
