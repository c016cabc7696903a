package harness

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"github.com/ibperf/ibperf/result"
)

// Merge returns one file for several runs of the same plan on the same devices, as of a plan with all
// runs. Runs are numbered in the order of the files, of which there is at least one. A file without rows
// has only its error and the rows that it has not measured. The findings are left to the caller.
func Merge(files []*result.File) (*result.File, error) {
	measured := slices.DeleteFunc(slices.Clone(files), func(f *result.File) bool { return len(f.Rows) == 0 })
	if len(files) == 1 || len(measured) == 0 {
		return files[0], nil
	}
	m := *measured[0]
	m.Parameters.Runs, m.Parameters.Iterations, m.Parameters.Duration = 0, 0, 0
	m.Warnings, m.Findings, m.Rows, m.NotMeasured = []result.Warning{}, nil, nil, nil
	for _, f := range measured {
		if err := alike(measured[0], f); err != nil {
			return nil, err
		}
		m.Parameters.Runs += f.Parameters.Runs
		m.Parameters.Iterations += f.Parameters.Iterations
		m.Parameters.Duration += f.Parameters.Duration
	}
	for _, f := range files {
		mergeHeads(&m, f)
	}
	if err := mergeRows(&m, measured); err != nil {
		return nil, err
	}
	mergeTuning(&m, measured)
	addMissing(&m, files)
	return &m, nil
}

// alike returns an error unless two files are of the same plan, apart from its length, the same devices and
// the same promises.
func alike(a, b *result.File) error {
	pa, pb := a.Parameters, b.Parameters
	pa.Runs, pa.Iterations, pa.Duration = pb.Runs, pb.Iterations, pb.Duration
	if a.Role != b.Role || !reflect.DeepEqual(pa, pb) {
		return errors.New("merge results: their runs had different parameters")
	}
	for _, sides := range [][2]result.Side{{a.Local, b.Local}, {a.Peer, b.Peer}} {
		if sides[0].Host != sides[1].Host || sides[0].Device.Name != sides[1].Device.Name || sides[0].Order != sides[1].Order {
			return errors.New("merge results: their runs had different devices, or different promises of data order")
		}
	}
	return nil
}

// mergeHeads adds what a file says about all of its rows.
func mergeHeads(m, f *result.File) {
	if f.Started.Before(m.Started) {
		m.Started = f.Started
	}
	if f.Finished.After(m.Finished) {
		m.Finished = f.Finished
	}
	m.Interrupted = m.Interrupted || f.Interrupted
	m.Error = cmp.Or(m.Error, f.Error)
	m.Limits = cmp.Or(m.Limits, f.Limits)
	m.Warnings = addNew(m.Warnings, f.Warnings)
}

// addMissing adds the rows that no file has measured.
func addMissing(m *result.File, files []*result.File) {
	for _, f := range files {
		for _, missing := range f.NotMeasured {
			known := slices.ContainsFunc(m.Rows, func(r result.Row) bool { return r.Size == missing.Size && r.Name() == missing.Mode }) ||
				slices.ContainsFunc(m.NotMeasured, func(o result.Missing) bool { return o.Size == missing.Size && o.Mode == missing.Mode })
			if !known {
				m.NotMeasured = append(m.NotMeasured, missing)
			}
		}
	}
}

// addNew appends those of more that all does not have.
func addNew[T comparable](all, more []T) []T {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}
