// ib_compare compares completion modes between two hosts: which mode is best, what it costs, and
// whether the device kept its promise about data order.
//
//	ib_compare [options]         start a server
//	ib_compare [options] HOST    compare with the server at HOST
//
// It writes the verdict, result files, plots and index.html into a folder. --help lists the
// options. Exit status: 0 done, 1 other, 2 usage, 3 device, 4 peer, 5 wrong data.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/reports/plots"
)

func main() { os.Exit(cli.Compare(os.Args, os.Stdout, os.Stderr, plots.Draw)) }
