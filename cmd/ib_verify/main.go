// ib_verify checks for hours or days that data arrives in order: it sends WRITEs, SENDs and READs in
// turn in both directions, polls memory where the device promises data order, and checks every byte
// of every message. docs/ORDER-PROOF.md says what the result shows.
//
//	ib_verify [options]                  start a server
//	ib_verify [options] HOST             check with the server at HOST
//	ib_verify --resume [options] HOST    continue after an early end
//
// It keeps a journal with checkpoints in a folder. --help lists the options. Exit status: 0 no message
// wrong, 1 other, 2 usage, 3 device, 4 peer, 5 wrong data, 6 no promise of data order.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
)

func main() { os.Exit(cli.Verify(os.Args, os.Stdout, os.Stderr)) }
