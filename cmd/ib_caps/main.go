// ib_caps tells what RDMA devices can do and promise, above all the order in
// which they write incoming data.
//
//	ib_caps               all devices, the embedded ones last, below what each backend found
//	ib_caps -d NAME       one device
//	ib_caps --out_json    the same as a file, ib_caps.json
//
// Exit status: 0 done, 1 other, 2 usage, 3 device missing or not accessible.
package main

import (
	"os"

	"github.com/ibperf/ibperf/internal/cli"
)

func main() { os.Exit(cli.Caps(os.Args, os.Stdout, os.Stderr)) }
