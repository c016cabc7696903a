package results

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
)

// A Keep says of which tests result files are kept.
type Keep string

// The kinds of tests whose result files are kept.
const (
	KeepLow Keep = "low" // low and failed ones
	KeepAll Keep = "all"
)

// KeepFolder is the folder of result files in that of a run.
const KeepFolder = "tests"

// Of returns the tests of a round whose files are kept. A test is low if a figure is worse than the median of the round by
// the share slow, or misses a limit.
func (k Keep) Of(round []Test, slow float64, limits *Limits) []Test {
	if k == KeepAll {
		return round
	}
	var bandwidths, rates []float64
	for _, t := range round {
		if t.Error == "" {
			bandwidths, rates = append(bandwidths, t.Bandwidth), append(rates, 1/t.MedianNs)
		}
	}
	bandwidth, rate := (1-slow)*median(bandwidths), (1-slow)*median(rates)
	return slices.DeleteFunc(slices.Clone(round), func(t Test) bool {
		return t.Error == "" && t.Bandwidth >= bandwidth && 1/t.MedianNs >= rate && limits.Missed(&t) == ""
	})
}

// KeepFiles writes the result files of a test into the folder of the journal.
func (j *Journal) KeepFiles(t Test, files [][]byte) error {
	if len(files) == 0 {
		return nil
	}
	dir := filepath.Join(filepath.Dir(j.file.Name()), KeepFolder)
	if err := outfolder.Make(dir); err != nil {
		return err
	}
	for i, file := range files {
		path := filepath.Join(dir, fmt.Sprintf("round%d_%s-%s_%d.json", t.Round, j.Head.Settings.Place(t.A), j.Head.Settings.Place(t.B), i+1))
		if err := atomicfile.Write(path, file); err != nil {
			return fmt.Errorf("write %s: %w", path, atomicfile.Advise(path, err))
		}
	}
	return nil
}
