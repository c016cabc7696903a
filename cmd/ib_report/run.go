package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/internal/terminal"
	"github.com/ibperf/ibperf/internal/version"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/reports/plots"
	"github.com/ibperf/ibperf/reports/result"
	"github.com/spf13/pflag"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

const usageHead = `Usage: ib_report [-o DIR] [--full] [--report_gbits] [--format FORMAT] FILE...

Prints the tables of result files that benchmarks wrote with --out_json, and
draws them.

Options:
`

const usageTail = `
Example:
  ib_report -o out write_lat.json write_bw.json
`

type options struct {
	dir    string
	gbits  bool
	full   bool
	format string
	files  []string
}

func (o options) depth() reports.Depth {
	if o.full {
		return reports.Full
	}
	return reports.SideBySide
}

// run is the program without its process.
func run(args []string, out, errs io.Writer) int {
	stdout, stderr := terminal.NewWriter(out), terminal.NewWriter(errs)
	opts, err := parse(args, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintf(stderr, "ib_report: %v\nTry 'ib_report --help'.\n", err)
		return exitUsage
	}
	if err := report(opts, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "ib_report: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// parse reads the command line, or prints the usage or the version and returns pflag.ErrHelp.
func parse(args []string, stdout io.Writer) (options, error) {
	var opts options
	flags := pflag.NewFlagSet("ib_report", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVarP(&opts.dir, "output", "o", "", "also write plots (PNG and SVG) and index.html into `DIR`")
	flags.BoolVar(&opts.gbits, "report_gbits", false, "print bandwidth in Gb/s (10^9 bits) and not in MiB/s (2^20 bytes)")
	flags.BoolVar(&opts.full, "full", false, "print every row also of runs that compare completion modes")
	flags.StringVar(&opts.format, "format", "", "print json, csv or gobench (Go's benchmark format) in place of tables, as `FORMAT`")
	flags.BoolP("help", "h", false, "print this and exit")
	flags.BoolP("version", "V", false, "print the version and exit")
	flags.Usage = func() { fmt.Fprint(stdout, usageHead, flags.FlagUsages(), usageTail) }
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	if help, err := flags.GetBool("help"); err == nil && help {
		flags.Usage()
		return opts, pflag.ErrHelp
	}
	if asked, err := flags.GetBool("version"); err == nil && asked {
		fmt.Fprint(stdout, version.Line("ib_report"))
		return opts, pflag.ErrHelp
	}
	if flags.Changed("output") && opts.dir == "" {
		return opts, errors.New("-o needs the name of a folder")
	}
	if formats := []string{"", string(option.FormatJSON), string(option.FormatCSV), string(option.FormatGobench)}; !slices.Contains(formats, opts.format) {
		return opts, fmt.Errorf("--format %q: choose json, csv or gobench", opts.format)
	}
	if opts.files = flags.Args(); len(opts.files) == 0 {
		return opts, errors.New("no result file given")
	}
	return opts, nil
}

// report prints the tables and, if asked to, draws and writes the page.
func report(opts options, stdout, stderr io.Writer) error {
	var runs []*result.File
	for _, path := range opts.files {
		f, err := result.Read(path)
		if err != nil {
			return err
		}
		runs = append(runs, f)
	}
	if opts.format != "" {
		if err := reports.WriteFormat(stdout, runs, option.Format(opts.format)); err != nil {
			return err
		}
	} else if err := reports.WriteTables(stdout, runs, reports.Style{Gbits: opts.gbits, Width: terminal.Width(stdout)}, opts.depth()); err != nil {
		return err
	}
	if opts.dir == "" {
		return nil
	}
	return draw(opts.dir, runs, stderr)
}

// pageName is the page's name in the folder.
const pageName = "index.html"

// draw writes plots and page into a folder. There they replace those of ibperf when all are
// complete, and nothing else.
func draw(dir string, runs []*result.File, stderr io.Writer) error {
	if err := outfolder.Make(dir); err != nil {
		return err
	}
	if err := outfolder.Check(dir, []string{pageName}); err != nil {
		return err
	}
	stage, err := outfolder.Begin(dir, "ib_report")
	if err != nil {
		return err
	}
	figures, err := plots.Draw(stage.Dir(), runs)
	if err == nil {
		err = reports.WriteHTML(stage.Path(pageName), runs, figures)
	}
	if err == nil {
		err = stage.Install()
	}
	if err != nil {
		return errors.Join(err, stage.Discard())
	}
	for _, fig := range figures {
		fmt.Fprintf(stderr, "wrote %s\nwrote %s\n", filepath.Join(dir, filepath.Base(fig.PNG)), filepath.Join(dir, filepath.Base(fig.SVG)))
	}
	fmt.Fprintf(stderr, "wrote %s\n", filepath.Join(dir, pageName))
	return nil
}
