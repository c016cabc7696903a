package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"

	"github.com/ibperf/ibperf/cmd/internal/compare"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
)

// Each run of a comparison has a fresh process on both sides: memory, threads and code then lie elsewhere,
// which changes times as much as fresh QPs do. The process that the user has started keeps options, folder,
// socket and verdict. It starts itself again for each run, with a job.

// jobVariable is the environment variable of a process with a job, which it reads from its standard input.
const jobVariable = "IBPERF_COMPARE_JOB"

// Descriptors that a process with a job inherits.
const (
	reportFD = 3
	socketFD = 4
)

// compareJob holds what a process does: it makes a run or serves one.
type compareJob struct {
	Run   *compareRun `json:"run,omitempty"`
	Serve *servedRun  `json:"serve,omitempty"`
}

// servedRun is a run on the server.
type servedRun struct {
	Series string `json:"series"` // ID of the series that it is a run of; empty: any, or a test by itself
}

// jobReport holds what a process reports at its end.
type jobReport struct {
	Ends     bool                           `json:"ends"`      // no run follows
	Failed   []string                       `json:"failed"`    // on the client: parts that have failed in any run
	MaxRates map[option.Op]compare.MaxRates `json:"max_rates"` // on the client: measured in the first run
	Series   string                         `json:"series"`    // on the server: ID of the series
}

// startedJob returns the job of this process, if it was started for one.
func startedJob() (job compareJob, is bool) {
	if os.Getenv(jobVariable) == "" {
		return job, false
	}
	os.Unsetenv(jobVariable)
	return job, json.NewDecoder(os.Stdin).Decode(&job) == nil
}

// doJob does a job with the command line of the process that has started this one, and reports.
func (a *app) doJob(ctx context.Context, args []string, job compareJob) error {
	o, _, err := a.parseCompare(args)
	if err != nil {
		return err
	}
	report := jobReport{Ends: true}
	if job.Run != nil {
		err = a.doRun(ctx, o, job.Run, &report)
	} else {
		err = a.doServe(ctx, o, job.Serve, &report)
	}
	return errors.Join(err, json.NewEncoder(os.NewFile(reportFD, "report")).Encode(report))
}

func (a *app) doRun(ctx context.Context, o *options, run *compareRun, report *jobReport) error {
	c, err := a.prepare(o)
	if err != nil {
		return err
	}
	c.output.announce(c.choices[0])
	report.Ends, err = a.makeRun(ctx, c, run, o.parts())
	report.Failed, report.MaxRates = run.Failed, run.MaxRates
	return err
}

func (a *app) doServe(ctx context.Context, o *options, run *servedRun, report *jobReport) error {
	a.budget = newBudget(&o.Own)
	secret, err := readSecret(o.Own.SecretFile)
	if err != nil {
		return err
	}
	file := os.NewFile(socketFD, "socket")
	socket, err := net.FileListener(file)
	file.Close()
	if err != nil {
		return err
	}
	return a.accept(socket, oob.Tests, secret, func(l *oob.Listener) error {
		more, err := a.serveFirst(ctx, o, l, run)
		report.Ends, report.Series = !more, run.Series
		return err
	})
}
