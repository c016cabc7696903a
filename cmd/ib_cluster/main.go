// ib_cluster finds slow nodes of a cluster from tests of pairs. A launcher starts it on every node. docs/CLUSTER.md
// describes it.
//
//	srun -N 8 -n 8 ib_cluster             test the nodes of a job
//	ib_cluster --explain-launch           print rank, size, job and the address of rank 0
//	ib_cluster --simulate nodes=N[,...]   run schedule and verdicts on simulated clusters
//
// --help lists the options. Exit status of rank 0: 0 no bad node, 1 other, 2 usage, 3 device, 4 ranks are missing or
// lost, 7 bad nodes.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
	"github.com/ibperf/ibperf/cmd/internal/cluster/heatmap"
)

func main() { os.Exit(cli.Cluster(os.Args, os.Stdout, os.Stderr, heatmap.Draw)) }
