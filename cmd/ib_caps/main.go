// ib_caps prints what RDMA devices can do and what they promise about the order of incoming data.
//
//	ib_caps               all devices, embedded ones last, after a line for each backend
//	ib_caps -d NAME       one device
//	ib_caps --doctor      how the host and its devices are set up, and what probably costs performance
//	ib_caps --out_json    the same as a file, ib_caps.json
//
// Exit status: 0 done, 1 other, 2 usage, 3 device missing or not accessible.
package main

import (
	"os"

	"github.com/ibperf/ibperf/cmd/internal/cli"
)

func main() { os.Exit(cli.Caps(os.Args, os.Stdout, os.Stderr)) }
