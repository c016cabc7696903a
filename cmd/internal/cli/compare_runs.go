package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/cmd/internal/machine"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/internal/atomicfile"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// compareRun is one run of a comparison: most parts are measured once.
type compareRun struct {
	ID         string // of the comparison
	Number, Of int
	Seed       int                            // of the order of sizes and modes
	Failed     []string                       // names of parts that failed in an earlier run, which are not repeated
	MaxRates   map[option.Op]compare.MaxRates // measured in the first run
	Dir        string                         // for the result files
}

// newRun returns the first of a number of runs.
func (o *options) newRun(of int) compareRun {
	seed := o.Seed
	if seed == 0 {
		seed = 1 + mathrand.IntN(option.MaxSeed)
	}
	return compareRun{ID: rand.Text(), Of: of, Seed: seed, MaxRates: map[option.Op]compare.MaxRates{}}
}

// makeRuns makes all runs and reports their results. An early end leaves what was measured.
func (a *app) makeRuns(ctx context.Context, c *clientRun, parts []compare.Part, folder *compare.Folder, draw compare.Draw) error {
	o := c.options
	run := o.newRun(compare.RunsOf(parts))
	do := func(ctx context.Context, run *compareRun) (ends bool, err error) {
		return a.makeRun(ctx, c, run, parts)
	}
	if a.fresh {
		this, err := a.builds(o)
		if err != nil {
			return err
		}
		do = newJobs(a, this...).makeRun
	} else {
		c.output.announce(c.choices[0])
	}
	var failed error
	for run.Number = 1; run.Number <= run.Of; run.Number++ {
		if ctx.Err() != nil {
			return errors.Join(failed, context.Cause(ctx), folder.Left())
		}
		var err error
		if run.Dir, err = folder.RunDir(); err != nil {
			return errors.Join(failed, err, folder.Left())
		}
		c.output.note("run %d of %d", run.Number, run.Of)
		ends, err := do(ctx, &run)
		if Status(err) == StatusData { // the status of all
			failed = errors.Join(err, failed)
		} else {
			failed = errors.Join(failed, err)
		}
		if err := folder.Take(); err != nil {
			return errors.Join(failed, err, folder.Left())
		}
		if ends {
			return errors.Join(failed, folder.Left())
		}
	}
	err := a.conclude(o, folder, draw)
	if failed != nil && errors.As(err, new(*noVerdictError)) {
		return failed // whose status matters more
	}
	return errors.Join(failed, err)
}

// makeRun makes one run. It reports whether an error ends the comparison, and adds the parts with another
// error to those that have failed.
func (a *app) makeRun(ctx context.Context, c *clientRun, run *compareRun, parts []compare.Part) (ends bool, err error) {
	defer func() {
		if !ends { // other errors do not concern the peer
			c.first.end(nil)
			return
		}
		c.first.end(err)
	}()
	parts = slices.DeleteFunc(slices.Clone(parts), func(p compare.Part) bool {
		return !p.In(run.Number, run.Of) || slices.Contains(run.Failed, p.Name)
	})
	var failed error
	number := 0
	for i, p := range parts {
		if !run.takeRate(&p) {
			continue
		}
		all := number + run.left(parts[i:])
		number++
		if run.Number == 1 {
			c.output.note("test %d of %d: %s", number, all, p.What)
		}
		err := a.measurePart(ctx, c, run, &p, number, all)
		if err == nil {
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", p.What, err))
		run.Failed = append(run.Failed, p.Name)
		if endsRuns(ctx, err, run.Number == 1 && number == 1) {
			return true, failed
		}
	}
	return false, failed
}

// endsRuns reports whether an error of a part ends all: if a side was stopped, if the peer is gone, or if it
// is the first part of all.
func endsRuns(ctx context.Context, err error, first bool) bool {
	var lost *oob.PeerError
	var fault *peerFault
	gone := errors.As(err, &lost) || errors.As(err, &fault)
	return ctx.Err() != nil || gone || isOver(err) || first && Status(err) != StatusData
}

// measurePart measures a part of a run, the i-th of n, and writes its result file.
func (a *app) measurePart(ctx context.Context, c *clientRun, run *compareRun, p *compare.Part, i, n int) error {
	once := *c
	plan := p.Once()
	plan.Seed = run.Seed
	once.options = c.options.withPlan(&plan)
	once.series = &oob.Series{ID: run.ID, Number: i, Of: n, Run: run.Number, Runs: run.Of, Held: true, Builds: c.options.Own.Against != ""}
	once.comparison = &result.Comparison{ID: run.ID, Sweep: p.Sweep}
	saved, path := false, filepath.Join(run.Dir, p.Name+".json")
	once.save = func(f *result.File) error {
		saved = true
		if p.Rate.Max && run.Number == 1 {
			run.MaxRates[f.Op] = compare.MaxRatesOf(f)
		}
		return f.Write(path)
	}
	once.wantsCaps = c.options.Own.Bundle != "" && run.Number == 1 && i == 1
	once.keep = func(name string, data []byte) error { return atomicfile.Write(filepath.Join(run.Dir, name), data) }
	err := a.reach(ctx, &once)
	c.first = once.first
	if err == nil || saved || endsRuns(ctx, err, run.Number == 1 && i == 1) {
		return err
	}
	file := newFile(plan.Test, harness.Client, a.command, machine.Side(os.DirFS("/")), true)
	file.Parameters.Plan, file.Comparison = plan.Resolve(), once.comparison
	file.Error, file.Finished = oneLine(err), time.Now().UTC()
	return errors.Join(err, file.Write(path))
}

// takeRate sets the rate of a part that has one, and reports whether the part is measured in this run.
func (r *compareRun) takeRate(p *compare.Part) bool {
	switch {
	case p.Rate == compare.Rate{} || p.Rate.Max:
		return true
	}
	p.Plan.RateLimit = r.MaxRates[p.Plan.Op].PerSecond(p.Rate)
	return p.Plan.RateLimit > 0
}

// left returns how many of the parts that follow will be measured. As long as the maximum rates of an operation are still to be
// measured, none of its rates counts as left out.
func (r *compareRun) left(parts []compare.Part) (n int) {
	unknown := map[option.Op]bool{}
	for _, p := range parts {
		unknown[p.Plan.Op] = unknown[p.Plan.Op] || p.Rate.Max && r.Number == 1
		if unknown[p.Plan.Op] || r.takeRate(&p) {
			n++
		}
	}
	return n
}

// withPlan returns the options with another plan. All count as given, so that a server changes none.
func (o *options) withPlan(p *option.Plan) *options {
	own := *o
	own.Plan, own.given = *p, agreedNames()
	return &own
}
