package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/reports/diff"
	"github.com/ibperf/ibperf/reports/verdict"
	"github.com/ibperf/ibperf/result"
	"github.com/spf13/pflag"
)

const diffHead = `Usage: {program} diff [-o DIR] [--threshold PERCENT] A B

Compares the rows of result files that were measured separately, such as those of
two builds. A and B are each a result file or a folder of them, such as that of
ib_compare. Each row is faster, slower, the same or unclear in B. To find small
differences of two builds, measure them in turn: ib_compare --against.
`

const diffTail = `
Examples:
  {program} diff old/out new/out
  {program} diff --threshold 3 -o page old.json new.json

Exit status:
  0  no row is a regression
  1  any other failure, such as a file that cannot be read
  2  wrong options, tests with different options, or files of a newer version
  7  a row is a regression: the last lines name it
`

// defaultThreshold is a percentage.
const defaultThreshold = 5

type comparison struct {
	threshold percentage
	folder    string // of a page; empty: none
	a, b      string
}

// A percentage is the value of an option: a percentage above 0 and below 100.
type percentage float64

// String implements [pflag.Value].
func (p *percentage) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

// Type implements [pflag.Value].
func (p *percentage) Type() string { return "PERCENT" }

// Set implements [pflag.Value].
func (p *percentage) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(v) || v <= 0 || v >= 100 {
		return errors.New("write a percentage above 0 and below 100, such as 3")
	}
	*p = percentage(v)
	return nil
}

func (c *comparison) flags() *pflag.FlagSet {
	flags := newFlags()
	c.threshold = defaultThreshold
	flags.StringVarP(&c.folder, "output", "o", "", "also write the tables as a page, index.html, into `DIR`")
	flags.Var(&c.threshold, "threshold", "a row is a regression if its value is slower by `PERCENT` or more, at least 3, and its interval certainly slower")
	return flags
}

// parseDiff reads a command line of "ib_report diff".
func parseDiff(name string, args []string, stdout io.Writer) (job, error) {
	var c comparison
	flags := c.flags()
	if err := parseFlags(name, flags, args, stdout, diffHead, diffTail); err != nil {
		return nil, err
	}
	if flags.NArg() != 2 {
		return nil, fmt.Errorf("name two result files or folders, not %d", flags.NArg())
	}
	c.a, c.b = flags.Arg(0), flags.Arg(1)
	return c.print, nil
}

// print compares A and B.
func (c *comparison) print(stdout, _ io.Writer) error {
	a, err := readSet(c.a)
	if err != nil {
		return err
	}
	b, err := readSet(c.b)
	if err != nil {
		return err
	}
	d, err := diff.Of(a, b, float64(c.threshold)/100)
	if err != nil {
		return statusError{exitUsage, err}
	}
	if err := d.Write(stdout, a, b); err != nil {
		return fmt.Errorf("write to stdout: %w", err)
	}
	if err := c.page(d, a, b); err != nil {
		return err
	}
	if n := len(d.Regressions()); n > 0 {
		return statusError{exitLimit, fmt.Errorf("%d of %d rows are slower in %s by %v %% or more", n, len(d.Pairs), c.b, c.threshold.String())}
	}
	return nil
}

// page writes the page of a diff if one was asked for.
func (c *comparison) page(d *diff.Diff, a, b diff.Set) error {
	if c.folder == "" {
		return nil
	}
	err := outfolder.Make(c.folder)
	if err == nil {
		err = outfolder.Check(c.folder, []string{pageName})
	}
	if err != nil {
		return err
	}
	return d.WritePage(filepath.Join(c.folder, pageName), a, b)
}

// readSet reads a result file, or all of a folder. A folder may have other JSON documents of ibperf.
func readSet(path string) (set diff.Set, err error) {
	paths := []string{path}
	if info, err := os.Stat(path); err != nil {
		return set, err
	} else if info.IsDir() {
		paths, _ = filepath.Glob(filepath.Join(path, "*.json")) // fails for bad patterns only
	}
	set.Name = path
	for _, p := range paths {
		if filepath.Base(p) == verdict.FileName {
			continue
		}
		f, err := result.Read(p)
		if errors.As(err, new(*result.VersionError)) {
			return set, statusError{exitUsage, err}
		}
		if err != nil {
			return set, err
		}
		set.Files = append(set.Files, f)
	}
	if len(set.Files) == 0 {
		return set, fmt.Errorf("%s has no result file (*.json)", path)
	}
	return set, nil
}
