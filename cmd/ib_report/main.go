// Ib_report prints tables from the result files of ib_*_lat and ib_*_bw, with a verdict if they compare
// completion modes. With -o it also draws plots and writes a page. It draws single figures for papers,
// and writes results in formats of other programs.
//
// Usage:
//
//	ib_report [-o DIR] [--full] [--report_gbits] FILE...
//	ib_report --format FORMAT FILE...
//	ib_report plot -o FIGURE --kind KIND [--size WxH] [--font SIZE] [--no-title] FILE...
//	ib_report hgrm -o DIR FILE...
//	ib_report diff [-o DIR] [--threshold PERCENT] A B
//
// A FILE is a result file, which a benchmark writes with --out_json. Runs of the same operation and
// kind share tables and plots, so that runs of several hosts, devices or days can be compared. Runs
// of one device that each measured another completion mode are shown side by side.
//
// The options are:
//
//	-o, --output DIR       also write plots (PNG and SVG) and index.html into DIR
//	    --full             also print every row of comparisons
//	    --report_gbits     print perftest's columns in Gb/s (10^9 bits) instead of MiB/s (2^20 bytes)
//	    --format FORMAT    print json, csv, rounds, gobench or prometheus instead of tables
//	    --label NAME=FILE  read FILE and call it NAME in a table of rounds; may be repeated
//	-h, --help             print the usage and exit
//	-V, --version          print the version and exit
//
// The format csv has a line for each row, rounds is a tidy CSV with a line for each round, gobench is Go's
// benchmark format, and prometheus has metrics for node_exporter.
//
// # Figures for papers
//
// "ib_report plot" draws one figure. Its options are:
//
//	-o, --output FIGURE    write to FIGURE, a file that ends in .pdf, .pgf, .svg or .png
//	    --kind KIND        ratio, latency, bandwidth, rate, busy, percentiles, rounds, qps, pause,
//	                       pause-busy, load, load-tail or load-busy
//	    --size WxH         width and height with a unit (in, cm, mm or pt), such as 3.4x2.2in
//	    --font SIZE        size of the letters at the axes, such as 8pt; lines and markers grow with it
//	    --no-title         no title and no notes, which a caption replaces; warnings of wrong data stay
//	    --label NAME=FILE  read FILE and call it NAME in the figure; may be repeated
//
// For example:
//
//	ib_report plot -o ratio.pdf --kind ratio --size 3.4x2.2in --font 8pt --no-title write_lat.json
//
// If the results have several figures of a kind, an error lists their names; each is a KIND, too.
// A LaTeX document takes a .pgf file with \input and the package pgf.
//
// # Latency distributions
//
// "ib_report hgrm" writes a file for HdrHistogram's plotters for each row of latency tests: percentiles
// in usec. Its options are:
//
//	-o, --output DIR       write the files into DIR
//	    --label NAME=FILE  read FILE and begin the names of its files with NAME; may be repeated
//
// For example:
//
//	ib_report hgrm -o out write_lat.json
//
// # Two builds
//
// "ib_report diff" compares result files that were measured separately, such as those of two builds, row by row. A and
// B are each a result file or a folder of them, such as that of ib_compare. Tests must have the same options in
// both. Its option is:
//
//	--threshold PERCENT  a row is a regression if its value is slower by PERCENT or more, at least 3, and its
//	                     interval certainly slower (default 5)
//
// # Files and exit status
//
// In DIR, ib_report replaces files that ibperf wrote, when the new ones are complete. If another file
// has a name that it needs, it names that file and exits. "ib_report plot" replaces FIGURE.
//
// Tables are written to standard output, the names of written files to standard error. The exit
// status is 0 after success, 2 for an invalid command line and for tests that diff cannot compare, 7 if diff
// found a regression, and 1 for any other failure, such as results without the figure that was asked for.
package main

import (
	"os"
	"path/filepath"

	"github.com/ibperf/ibperf/cmd/internal/cluster/heatmap"
	"github.com/ibperf/ibperf/cmd/internal/drawing"
	"github.com/ibperf/ibperf/reports/plots"
)

func main() {
	drawing.Child(plots.Draw, heatmap.Draw)
	name := filepath.Base(os.Args[0])
	if name != drawing.CalledName {
		name = drawing.Program
	}
	os.Exit(run(name, os.Args[1:], os.Stdout, os.Stderr))
}
