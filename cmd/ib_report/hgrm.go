package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/ibperf/ibperf/cmd/internal/drawing"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/reports/phrase"
	"github.com/ibperf/ibperf/result"
	"github.com/spf13/pflag"
)

const hgrmHead = `Usage: {program} hgrm -o DIR FILE...

Writes the latency distribution of each row of result files into DIR, as a file
for HdrHistogram's plotters: percentiles in usec. The name of a file is made of
the result file's name or its label, the message size and the completion mode.
`

const hgrmTail = `
Examples:
  {program} hgrm -o out write_lat.json
  {program} hgrm -o out --label A=a/write_lat.json --label B=b/write_lat.json
`

type distributions struct {
	dir    string
	inputs inputs
}

func (d *distributions) flags() *pflag.FlagSet {
	flags := newFlags()
	flags.StringVarP(&d.dir, "output", "o", "", "write the files into `DIR`")
	labelFlag(flags, &d.inputs)
	return flags
}

// parseHgrm reads a command line of "ib_report hgrm".
func parseHgrm(name string, args []string, stdout io.Writer) (job, error) {
	var d distributions
	flags := d.flags()
	if err := parseFlags(name, flags, args, stdout, hgrmHead, hgrmTail); err != nil {
		return nil, err
	}
	if d.dir == "" {
		return nil, errors.New("name a folder with -o DIR")
	}
	return d.write, d.inputs.add(flags.Args())
}

// write writes all files, or none. They replace only files that ibperf wrote.
func (d *distributions) write(_, stderr io.Writer) error {
	runs, err := d.inputs.read(newProgress(stderr))
	if err != nil {
		return err
	}
	if err := outfolder.Make(d.dir); err != nil {
		return err
	}
	stage, err := outfolder.Begin(d.dir, drawing.Program)
	if err != nil {
		return err
	}
	names, err := d.stage(stage, runs)
	if err == nil {
		err = stage.Install()
	}
	if err != nil {
		return errors.Join(err, stage.Discard())
	}
	for _, name := range names {
		fmt.Fprintf(stderr, "wrote %s\n", filepath.Join(d.dir, name))
	}
	return nil
}

// stage writes all files into a stage, and returns their names.
func (d *distributions) stage(stage *outfolder.Stage, runs []*result.File) (names []string, err error) {
	from := map[string]string{} // result files by name
	for i, f := range runs {
		for j := range f.Rows {
			r := &f.Rows[j]
			if !formats.HasHistogram(r) {
				continue
			}
			name := d.fileName(i, f, r)
			if other, taken := from[name]; taken {
				return nil, fmt.Errorf("%s and %s both have rows for %s: name each with --label NAME=FILE", other, d.inputs[i].path, filepath.Join(d.dir, name))
			}
			from[name] = d.inputs[i].path
			text, err := formats.Hgrm(f, r)
			if err == nil {
				err = atomicfile.Write(stage.Path(name), text)
			}
			if err != nil {
				return nil, fmt.Errorf("write %s: %w", filepath.Join(d.dir, name), err)
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, d.inputs.errNothing("latency distribution: only latency tests have them, without --noPeak and at rates that they keep")
	}
	return names, nil
}

// fileName returns the name of the file for a row. A label does not say which test it is of.
func (d *distributions) fileName(i int, f *result.File, r *result.Row) string {
	words := []string{d.inputs[i].name()}
	if d.inputs[i].label != "" {
		words = append(words, string(f.Op), string(f.Kind))
	}
	words = append(words, strconv.Itoa(r.Size), string(r.Mode))
	if r.Variant != "" {
		words = append(words, string(r.Variant))
	}
	return phrase.Slug(words...) + ".hgrm"
}
