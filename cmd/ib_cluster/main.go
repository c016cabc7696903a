// ib_cluster is to find slow nodes of a cluster from tests of pairs. It shows how certain its verdicts are, and
// where a launcher has put it. It does not measure yet. docs/CLUSTER.md describes it.
//
//	ib_cluster --simulate nodes=N[,...]   run schedule and verdicts on simulated clusters
//	ib_cluster --explain-launch           print rank, size, job and the address of rank 0
//
// --help lists the options. Exit status: 0 done, 1 other, 2 usage.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
)

func main() { os.Exit(cli.Cluster(os.Args, os.Stdout, os.Stderr)) }
