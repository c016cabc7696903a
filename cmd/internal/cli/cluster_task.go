package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"os"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/agent"
	"github.com/ibperf/ibperf/harness"
	"github.com/ibperf/ibperf/oob"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// taskVariable is the environment variable of a process with a task of the coordinator, which it reads from its standard
// input.
const taskVariable = "IBPERF_CLUSTER_TASK"

// The tests of a pair.
const (
	bandwidthSize = 64 << 10
	latencySize   = 8
	pairTime      = 100 * time.Millisecond // of each test
	pairTests     = 2
)

// doTask does a task with the command line of the agent that has started this process, and reports its outcomes. An
// error of the task is in the outcome.
func (a *app) doTask(ctx context.Context, args []string, job *agent.Job) error {
	o := newClusterOptions()
	if err := defineCluster(o).parse(args); err != nil {
		return err
	}
	o.Own.Device = o.devices()[job.Rail]
	reports := json.NewEncoder(os.NewFile(agent.ReportFD, "report"))
	var outcome oob.ClusterOutcome
	var err error
	switch job.Task.Kind {
	case oob.TaskDescribe:
		outcome.Device, err = describeDevice(&o.Own)
	case oob.TaskServe:
		err = a.servePair(ctx, o, job, func(port int) error { return reports.Encode(oob.ClusterOutcome{Port: port}) })
	default:
		err = a.measurePair(ctx, o, job, &outcome)
	}
	if err != nil {
		outcome.Error, outcome.WrongData = oneLine(err), Status(err) == StatusData
	}
	return reports.Encode(outcome)
}

// describeDevice opens the device and identifies it.
func describeDevice(own *option.Own) (*oob.DeviceID, error) {
	c, err := chooseOne(own, "")
	if err != nil {
		return nil, err
	}
	id := identify(c.device)
	return &id, probe(c.device, c.port)
}

// pairOptions returns the options of a side of the tests of a pair.
func (o *clusterOptions) pairOptions(t option.Test, task *oob.ClusterTask) *options {
	s := &options{Settings: option.New(t)}
	s.Own.Device, s.Own.IBPort, s.Own.GIDIndex, s.Own.QuietCPU = o.Own.Device, o.Own.IBPort, o.Own.GIDIndex, true
	s.Duration, s.Completion = cmp.Or(task.Time, pairTime), option.ModeAuto
	if t.Bandwidth() {
		s.Sizes, s.Both = []int{bandwidthSize}, true
	} else {
		s.Sizes = []int{latencySize}
	}
	return s
}

// servePair serves the tests of a pair at any free port.
func (a *app) servePair(ctx context.Context, o *clusterOptions, job *agent.Job, ready func(port int) error) error {
	s := o.pairOptions(o.Test, &job.Task)
	a.budget = newBudget(&s.Own)
	socket, err := oob.Open(":0")
	if err != nil {
		return err
	}
	defer socket.Close()
	if err := ready(socket.Addr().(*net.TCPAddr).Port); err != nil {
		return err
	}
	return a.accept(socket, oob.Tests, job.Secret, func(l *oob.Listener) error {
		_, err := a.serveFirst(ctx, s, l, nil)
		return err
	})
}

// measurePair measures bandwidth and latency with the server of the task. Wrong data of the first test does not end the
// second one.
func (a *app) measurePair(ctx context.Context, o *clusterOptions, job *agent.Job, outcome *oob.ClusterOutcome) (err error) {
	c := &clientRun{output: &output{console: a.console}, secret: job.Secret}
	if c.choices, err = chooseClient(&o.Own, job.Task.Host); err != nil {
		return err
	}
	c.save = func(f *result.File) error {
		file, err := f.Encode()
		if err != nil {
			return err
		}
		outcome.Files = append(outcome.Files, file)
		for i := range f.Rows {
			if b := f.Rows[i].Bandwidth; b != nil {
				outcome.Bandwidth = b.Average
			}
			if l := f.Rows[i].Latency; l != nil {
				outcome.MedianNs, outcome.P99Ns = l.P50Ns, l.P99Ns
			}
		}
		return nil
	}
	id := rand.Text()
	for i, kind := range []option.Kind{option.KindBandwidth, option.KindLatency} {
		c.options = o.pairOptions(option.Test{Op: option.OpWrite, Kind: kind}, &job.Task)
		c.options.host, c.options.Own.Port, c.options.given = job.Task.Host, job.Task.Port, agreedNames()
		c.options.Verify = job.Task.Verify && kind == option.KindBandwidth
		c.series = &oob.Series{ID: id, Number: i + 1, Of: pairTests, Held: true}
		failed := a.reach(ctx, c)
		err = errors.Join(err, failed)
		if failed != nil && !errors.As(failed, new(*harness.DataError)) {
			break
		}
	}
	c.first.end(err)
	return err
}
