package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/ibperf/ibperf/cmd/internal/drawing"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/internal/terminal"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/reports/page"
	"github.com/ibperf/ibperf/reports/plots"
	"github.com/ibperf/ibperf/reports/text"
	"github.com/ibperf/ibperf/result"
	"github.com/spf13/pflag"
)

const tablesHead = `Usage: {program} [-o DIR] [--full] [--report_gbits] FILE...
       {program} --format FORMAT FILE...
       {program} plot -o FIGURE --kind KIND FILE...
       {program} hgrm -o DIR FILE...
       {program} diff [-o DIR] [--threshold PERCENT] A B

Prints tables from result files, which benchmarks write with --out_json. With -o
it also writes plots and a page. With the word plot it draws one figure, as for a
paper. With hgrm it writes latency distributions for HdrHistogram's plotters. With
diff it compares two files or folders, such as those of two builds.
`

const tablesTail = `
Examples:
  {program} -o out write_lat.json write_bw.json
  {program} --format rounds --label A=a.json --label B=b.json > rounds.csv
  {program} plot -o ratio.pdf --kind ratio --size 3.4x2.2in --font 8pt --no-title write_lat.json
  {program} hgrm -o out write_lat.json
  {program} diff old/out new/out

Exit status:
  0  done
  1  any other failure, such as results without the figure that was asked for
  2  wrong options, or diff was asked to compare tests with different options
  7  diff found a regression
`

// formatRounds is the format with a line for each round, which only ib_report writes.
const formatRounds = "rounds"

type tables struct {
	dir    string
	gbits  bool
	full   bool
	format string
	inputs inputs
}

func (t *tables) depth() text.Depth {
	if t.full {
		return text.Full
	}
	return text.Brief
}

func (t *tables) flags() *pflag.FlagSet {
	flags := newFlags()
	flags.StringVarP(&t.dir, "output", "o", "", "also write plots (PNG and SVG) and index.html into `DIR`")
	flags.BoolVar(&t.gbits, "report_gbits", false, "print bandwidth in perftest's columns in Gb/s (10^9 bits) instead of MiB/s (2^20 bytes)")
	flags.BoolVar(&t.full, "full", false, "also print every row of comparisons")
	flags.StringVar(&t.format, "format", "", "print `FORMAT` instead of tables: json, with the verdict; csv, with a line for each row; rounds, a tidy CSV with a line for each round; gobench, Go's benchmark format; or prometheus, metrics for node_exporter")
	labelFlag(flags, &t.inputs)
	return flags
}

// tablesHelp returns what follows the options in the help text: that of the commands, for one page of
// all.
func tablesHelp() string {
	return "\nOptions of plot:\n" + new(figure).flags().FlagUsagesWrapped(helpWidth) + plotKinds +
		"\nOptions of hgrm:\n" + new(distributions).flags().FlagUsagesWrapped(helpWidth) +
		"\nOptions of diff:\n" + new(comparison).flags().FlagUsagesWrapped(helpWidth) + tablesTail
}

// parseTables reads a command line without a command.
func parseTables(name string, args []string, stdout io.Writer) (job, error) {
	var t tables
	flags := t.flags()
	if err := parseFlags(name, flags, args, stdout, tablesHead, tablesHelp()); err != nil {
		return nil, err
	}
	if formats := []string{"", string(option.FormatJSON), string(option.FormatCSV), formatRounds, string(option.FormatGobench), string(option.FormatPrometheus)}; !slices.Contains(formats, t.format) {
		return nil, fmt.Errorf("--format %q: choose json, csv, rounds, gobench or prometheus", t.format)
	}
	if len(t.inputs) > 0 && t.format != formatRounds {
		return nil, errors.New("--label is for --format rounds, plot and hgrm: otherwise name the files without it")
	}
	return t.report, t.inputs.add(flags.Args())
}

// report prints the tables, and with -o writes plots and page.
func (t *tables) report(stdout, stderr io.Writer) error {
	runs, err := t.inputs.read(newProgress(stderr))
	if err != nil {
		return err
	}
	if err := t.print(stdout, runs); err != nil || t.dir == "" {
		return err
	}
	return draw(t.dir, runs, stderr)
}

// print prints runs in the format that was chosen.
func (t *tables) print(stdout io.Writer, runs []*result.File) error {
	switch t.format {
	case "":
		return text.Write(stdout, runs, text.Style{Gbits: t.gbits, Width: terminal.Width(stdout)}, t.depth())
	case string(option.FormatJSON):
		return formats.WriteReport(stdout, runs)
	case formatRounds:
		return formats.WriteRounds(stdout, t.inputs.labelled(runs))
	}
	return formats.Write(stdout, runs, option.Format(t.format))
}

// pageName is the name of the page in the folder.
const pageName = "index.html"

// draw writes plots and page into a folder. They replace earlier ones of ibperf when all are
// complete, and no other files.
func draw(dir string, runs []*result.File, stderr io.Writer) error {
	if err := outfolder.Make(dir); err != nil {
		return err
	}
	if err := outfolder.Check(dir, []string{pageName}); err != nil {
		return err
	}
	stage, err := outfolder.Begin(dir, drawing.Program)
	if err != nil {
		return err
	}
	p := newProgress(stderr)
	p.step("drawing figures")
	figures, err := plots.Draw(stage.Dir(), runs)
	if err == nil {
		p.step("writing the page")
		err = page.Write(stage.Path(pageName), runs, figures)
	}
	if err == nil {
		err = stage.Install()
	}
	p.end()
	if err != nil {
		return errors.Join(err, stage.Discard())
	}
	for _, fig := range figures {
		fmt.Fprintf(stderr, "wrote %s\nwrote %s\n", filepath.Join(dir, filepath.Base(fig.PNG)), filepath.Join(dir, filepath.Base(fig.SVG)))
	}
	fmt.Fprintf(stderr, "wrote %s\n", filepath.Join(dir, pageName))
	return nil
}
