// ib_compare compares the ways to wait for data between two hosts: which is best, what it
// costs, and whether the order of data may be relied on.
//
//	ib_compare [options]         start a server
//	ib_compare [options] HOST    compare with the server at HOST
//
// It leaves the verdict, result files, plots and index.html in a folder. --help lists the
// options. Exit status: 0 done, 1 other, 2 usage, 3 device, 4 peer, 5 wrong data.
package main

import (
	"os"

	"github.com/ibperf/ibperf/internal/cli"
	"github.com/ibperf/ibperf/reports/plots"
)

func main() { os.Exit(cli.Compare(os.Args, os.Stdout, os.Stderr, plots.Draw)) }
