package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/reports/diff"
)

// With --against the runs of two builds are made in turn: A is the build in the folder of the option, B that of this
// process. Each side starts the program of its own folder.

// otherProgram returns the path of the other build's program.
func (o *options) otherProgram() string { return filepath.Join(o.Own.Against, option.CompareProgram) }

// checkAgainst checks --against.
func (o *options) checkAgainst() error {
	if o.Own.Against == "" {
		return nil
	}
	if o.Own.Persistent {
		return usage("--persistent and --against exclude each other: a server with --persistent does not start other builds")
	}
	if _, err := exec.LookPath(o.otherProgram()); err != nil {
		return usage(fmt.Sprintf("--against %s: no program %s is in this folder: name the folder with the programs of another build", o.Own.Against, option.CompareProgram))
	}
	return nil
}

// turns is the order of the builds, which repeats: A B B A, so that what changes steadily on the host concerns both alike.
var turns = [4]int{0, 1, 1, 0}

// builds returns the builds of the processes of runs, in the order of turns, or only this one.
func (a *app) builds(o *options) ([]build, error) {
	binary, err := os.Executable()
	this := build{binary, a.command}
	if o.Own.Against == "" || err != nil {
		return []build{this}, err
	}
	path, err := filepath.Abs(o.otherProgram()) // without a slash it would be looked for in PATH
	both := [2]build{{path, append([]string{path}, a.args...)}, this}
	var inTurn []build
	for _, side := range turns {
		inTurn = append(inTurn, both[side])
	}
	return inTurn, err
}

// checkBuilds returns an error if only one of the sides compares builds.
func (s *peerSession) checkBuilds(series *oob.Series) error {
	if theirs := series != nil && series.Builds; theirs != (s.options.Own.Against != "") {
		return conflict("--against needs the programs of another build on both sides: give it on both, or on none")
	}
	return nil
}

// compareBuilds makes the runs of two builds in turn and compares them. An early end leaves what was measured.
func (a *app) compareBuilds(ctx context.Context, c *clientRun, parts []compare.Part) error {
	o := c.options
	folders, err := compare.MakeInTurn(o.Own.Folder, parts)
	if err != nil {
		return err
	}
	builds, err := a.builds(o)
	if err != nil {
		return err
	}
	failed, ended := a.runInTurn(ctx, c, newJobs(a, builds...), folders)
	if ended {
		return errors.Join(failed, folders[0].Left(), folders[1].Left())
	}
	return errors.Join(failed, a.concludeBuilds(o, folders))
}

// runInTurn makes all runs. It reports whether an error has ended them early.
func (a *app) runInTurn(ctx context.Context, c *clientRun, j *jobs, folders [2]*compare.Folder) (failed error, ended bool) {
	run := c.options.newRun(compare.RunsInTurn(&c.options.Plan))
	for run.Number = 1; run.Number <= run.Of; run.Number++ {
		if ctx.Err() != nil {
			return errors.Join(failed, context.Cause(ctx)), true
		}
		side := turns[(run.Number-1)%len(turns)]
		folder := folders[side]
		var err error
		if run.Dir, err = folder.RunDir(); err != nil {
			return errors.Join(failed, err), true
		}
		c.output.note("run %d of %d, build %c", run.Number, run.Of, 'A'+side)
		ends, err := j.makeRun(ctx, &run)
		failed = errors.Join(failed, err)
		if err := folder.Take(); err != nil {
			return errors.Join(failed, err), true
		}
		if ends {
			return failed, true
		}
	}
	return failed, false
}

// slowerError is the error of a build that is slower than the other one.
type slowerError struct{ text string }

func (e *slowerError) Error() string { return e.text }

// concludeBuilds writes and prints the differences of two builds.
func (a *app) concludeBuilds(o *options, folders [2]*compare.Folder) error {
	sets := [2]diff.Set{{Name: o.Own.Against}, {Name: "this build"}}
	for i, folder := range folders {
		files, err := folder.Results()
		if err != nil {
			return err
		}
		sets[i].Files = files
	}
	d, err := diff.InTurn(sets[0], sets[1])
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := d.Write(&text, sets[0], sets[1]); err != nil {
		return err
	}
	page, err := compare.KeepDiff(o.Own.Folder, text.Bytes(), func(path string) error { return d.WritePage(path, sets[0], sets[1]) })
	if err == nil {
		a.console.note("wrote %s", page)
	}
	if failed := a.print(text.String()); failed != nil {
		err = errors.Join(err, fmt.Errorf("print the differences: %w", failed))
	}
	if n := len(d.Regressions()); n > 0 && err == nil {
		return &slowerError{fmt.Sprintf("this build is slower than that in %s: %d of %d rows", o.Own.Against, n, len(d.Pairs))}
	}
	return err
}
