// Ib_report lays result files of the ib_*_lat and ib_*_bw programs together and
// prints them as tables, with a verdict where completion modes are compared. With
// -o it also draws them and writes a page.
//
// Usage:
//
//	ib_report [-o DIR] [--full] [--report_gbits] [--format FORMAT] FILE...
//
// A FILE is what a benchmark wrote with --out_json. Runs of the same operation
// and kind share tables and plots, so that runs of several hosts, devices or
// days can be compared; runs of one device that each measured another
// completion mode are put side by side.
//
// The options are:
//
//	-o, --output DIR     also write plots (PNG and SVG) and index.html into DIR
//	    --full           print every row also of runs that compare completion modes
//	    --report_gbits   print bandwidth in Gb/s (10^9 bits) and not in MiB/s (2^20 bytes)
//	    --format FORMAT  print json, csv or gobench (Go's benchmark format) in place of tables
//	-h, --help           print the usage and exit
//	-V, --version        print the version and exit
//
// Of what is in DIR, plots and pages that ibperf wrote are replaced, when the new
// ones are complete; other files of such names are left alone and named as the error.
//
// The tables go to standard output, the names of the files written to standard
// error. The exit status is 0 if all went well, 2 if the command line is wrong,
// and 1 for anything else, such as a file that cannot be read.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
