package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ibperf/ibperf/reports/formats"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
	"github.com/spf13/pflag"
)

// An input is a result file of the command line.
type input struct {
	path  string
	label string // empty: not given
}

// name returns the label, or the name of the file without its extension.
func (in input) name() string {
	if in.label != "" {
		return in.label
	}
	return strings.TrimSuffix(filepath.Base(in.path), filepath.Ext(in.path))
}

// inputs are the result files of the command line, those with a label first. As the value of an
// option, they hold the ones with a label.
type inputs []input

// labelFlag adds the option --label.
func labelFlag(flags *pflag.FlagSet, to *inputs) {
	flags.Var(to, "label", "read FILE and call it NAME; may be repeated")
}

// String implements [pflag.Value].
func (all *inputs) String() string { return "" }

// Type implements [pflag.Value]. It names the argument in help texts.
func (all *inputs) Type() string { return "NAME=FILE" }

// Set implements [pflag.Value].
func (all *inputs) Set(argument string) error {
	label, path, ok := strings.Cut(argument, "=")
	if !ok || label == "" || path == "" {
		return errors.New("write NAME=FILE, such as A=write_lat.json")
	}
	*all = append(*all, input{path: path, label: label})
	return nil
}

// add appends the files without a label. There must be a file then. It leaves out ib_compare's verdict, so that
// *.json in its folder means the results.
func (all *inputs) add(paths []string) error {
	for _, path := range paths {
		if filepath.Base(path) != verdict.FileName {
			*all = append(*all, input{path: path})
		}
	}
	if len(*all) == 0 {
		return errors.New("no result file given")
	}
	return nil
}

// read reads all files.
func (all inputs) read(p progress) (runs []*result.File, err error) {
	defer p.end()
	for i, in := range all {
		p.step("reading file %d of %d: %s", i+1, len(all), filepath.Base(in.path))
		f, err := result.Read(in.path)
		if err != nil {
			return nil, err
		}
		runs = append(runs, f)
	}
	return runs, nil
}

// labelled returns runs with the names of their files.
func (all inputs) labelled(runs []*result.File) (named []formats.Labelled) {
	for i, f := range runs {
		named = append(named, formats.Labelled{File: f, Label: all[i].name()})
	}
	return named
}

// errNothing returns an error for files without what a command needs.
func (all inputs) errNothing(what string) error {
	var paths []string
	for _, in := range all {
		paths = append(paths, in.path)
	}
	return fmt.Errorf("%s: no %s", strings.Join(paths, ", "), what)
}
