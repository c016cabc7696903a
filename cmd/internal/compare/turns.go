package compare

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"

	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/internal/outfolder"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// Sizes of messages that two builds send: one whose time is that of the posting and polling code, and one whose time is
// mostly that of the device.
var sizesInTurn = []int{64, 64 << 10}

// RunsInTurn returns the number of runs of two builds with the options of a base plan.
func RunsInTurn(base *option.Plan) int { return 2 * cmp.Or(base.Runs, option.AgainstRuns) }

// InTurn returns the parts that two builds measure in turn, with the options of a base plan: latency and bandwidth of
// WRITE, SEND and READ in all modes, each in every run.
func InTurn(base *option.Plan) (all []Part) {
	var sizes []int
	for _, size := range sizesInTurn {
		sizes = append(sizes, nearest(base.Sizes, size))
	}
	sizes = slices.Compact(sizes)
	for _, op := range []option.Op{option.OpWrite, option.OpSend, option.OpRead} {
		for _, kind := range []option.Kind{option.KindLatency, option.KindBandwidth} {
			if !carries(base, op) {
				continue
			}
			p := planOf(base, op, kind)
			p.Sizes, p.Runs = sizes, RunsInTurn(base)
			p.Duration = 2 * cmp.Or(base.Duration, option.AgainstDuration)
			all = append(all, Part{Name: name(&p), What: p.Program(), Plan: p})
		}
	}
	return all
}

// Names of the folders of the results of two builds, A and B.
var buildFolders = [2]string{"a", "b"}

// MakeInTurn creates the folder of a comparison of two builds, and one in it for the results of each.
func MakeInTurn(dir string, parts []Part) (folders [2]*Folder, err error) {
	if err := outfolder.Check(dir, []string{pageName, reportName}); err != nil {
		return folders, err
	}
	for i, name := range buildFolders {
		if folders[i], err = Make(filepath.Join(dir, name), "", parts); err != nil {
			return folders, err
		}
	}
	return folders, nil
}

// Results writes the results of all parts in place of those of an earlier comparison, and returns them.
func (f *Folder) Results() ([]*result.File, error) {
	all, err := f.results()
	if err != nil {
		return nil, f.left(err)
	}
	return all, f.replace()
}

// KeepDiff writes the report and the page of a comparison of two builds, and returns the path of the page.
func KeepDiff(dir string, report []byte, page func(path string) error) (path string, err error) {
	stage, err := outfolder.Begin(dir, option.CompareProgram)
	if err != nil {
		return "", err
	}
	err = atomicfile.Write(stage.Path(reportName), append([]byte(outfolder.ReportMark), report...))
	if err == nil {
		err = page(stage.Path(pageName))
	}
	if err == nil {
		err = stage.Install()
	}
	if err != nil {
		return "", errors.Join(err, stage.Discard())
	}
	return filepath.Join(dir, pageName), nil
}
