package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/agent"
	"github.com/ibperf/ibperf/cmd/internal/cluster/coordinator"
	"github.com/ibperf/ibperf/cmd/internal/cluster/launch"
	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/topology"
	"github.com/ibperf/ibperf/oob"
)

// testLimit is the time after which the process of a test is killed. It takes less than a second on an idle host.
const testLimit = 20 * time.Second

// end returns the time after which no further round begins.
func (o *clusterOptions) end(nodes int) time.Duration {
	return cmp.Or(o.TimeLimit, time.Minute+time.Duration(nodes)*4*time.Second)
}

// badNodesError is the error of a run that has found bad nodes, pairs or groups, or missed limits. The report is printed before.
type badNodesError struct{}

func (*badNodesError) Error() string { return "there are bad nodes, pairs or groups, or missed limits" }

// absentError is the error of a run without some of the ranks. The report is printed before.
type absentError struct{}

func (*absentError) Error() string { return "some ranks did not appear or were lost" }

// coordinate runs all tests as rank 0, which has an agent too, and reports.
func (a *app) coordinate(ctx context.Context, o *clusterOptions, place *launch.Place) error {
	err := a.coordinateAll(ctx, o, place)
	if err != nil && !errors.As(err, new(*printedError)) {
		err = errors.Join(err, a.print(fmt.Sprintf("%s: no verdict; exit status %d\n", clusterProgram, Status(err))))
	}
	return err
}

func (a *app) coordinateAll(ctx context.Context, o *clusterOptions, place *launch.Place) (err error) {
	settings := o.tests
	settings.Ranks, settings.Rails, settings.Verify = place.Ranks, len(o.devices()), o.Verify
	d := &results.Document{
		Release: ownRelease, Command: a.command, Launcher: place.Launcher, Job: place.Job, Started: time.Now().UTC(), Settings: settings,
	}
	groups, err := readTopology(o.topology)
	if err != nil {
		return err
	}
	head := results.Head{Release: ownRelease, Started: d.Started, Seed: rand.Uint64(), Settings: settings}
	journal, err := results.Open(o.Own.Folder, head, o.Own.Resume)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	l, secret, err := a.openRoot(o, place)
	if err != nil {
		return err
	}
	defer l.Close()
	own := make(chan error, 1)
	go func() {
		port := l.Addr().(*net.TCPAddr).Port
		own <- a.joinAll(ctx, o, place, []string{fmt.Sprintf("127.0.0.1:%d", port)}, secret)
	}()
	err = coordinator.Run(ctx, l, coordinator.Config{
		Release: ownRelease, Job: place.Job, Settings: settings, Wait: o.Own.ConnectTimeout, Limit: testLimit, End: o.end(settings.Nodes()),
		Groups: groups, Keep: o.keep, Journal: journal, Embedded: isEmbedded, Note: a.console.note,
	}, d)
	if err != nil {
		return deviceTroubleOf(err)
	}
	if err := <-own; err != nil {
		return err
	}
	return a.concludeCluster(o, d)
}

// deviceTroubleOf marks an error of the coordinator that is one of the devices.
func deviceTroubleOf(err error) error {
	if errors.As(err, new(*coordinator.DeviceError)) {
		return deviceTrouble(err)
	}
	return err
}

// concludeCluster writes and prints the report, and returns the error that it stands for.
func (a *app) concludeCluster(o *clusterOptions, d *results.Document) error {
	d.Finished = time.Now().UTC()
	err := clusterError(d)
	d.Status = Status(err)
	if failed := d.Write(o.Own.Folder); failed != nil {
		return failed
	}
	if failed := o.draw(o.Own.Folder, d); failed != nil {
		a.console.note("the heat maps are not drawn: %v", failed)
	}
	if failed := a.print(d.Text(a.console.width())); failed != nil {
		return failed
	}
	if err != nil {
		return &printedError{err}
	}
	return nil
}

func clusterError(d *results.Document) error {
	var absent error
	for _, n := range d.Nodes {
		switch n.State {
		case results.Bad:
			return &badNodesError{}
		case results.Lost, results.Missing:
			absent = &absentError{}
		}
	}
	if d.LimitsMissed() || len(d.Pairs) > 0 || slices.ContainsFunc(d.Groups, func(g results.Group) bool { return g.State == results.Bad }) {
		return &badNodesError{}
	}
	if absent == nil && d.AllFailed() {
		return errors.New("all tests have failed: " + d.Tests[0].Error)
	}
	return absent
}

// follow works for rank 0 until it dismisses this rank. Its errors are printed and do not count: launchers end the
// whole job when any rank has another status than 0.
func (a *app) follow(ctx context.Context, o *clusterOptions, place *launch.Place) error {
	addresses, secret, err := a.findRoot(o, place)
	if err == nil {
		err = a.joinAll(ctx, o, place, addresses, secret)
	}
	if err != nil && ctx.Err() == nil {
		a.console.fail(a.program, fmt.Errorf("rank %d: %w", place.Rank, err))
		return nil
	}
	return err
}

// joinAll joins the coordinator with each device, and does its tasks.
func (a *app) joinAll(ctx context.Context, o *clusterOptions, place *launch.Place, addresses []string, secret []byte) error {
	rails := len(o.devices())
	ends := make([]error, rails)
	var all sync.WaitGroup
	for rail := range rails {
		all.Go(func() { ends[rail] = a.joinAndWork(ctx, o, place, rail, addresses, secret) })
	}
	all.Wait()
	return cmp.Or(ends...)
}

// joinAndWork joins the coordinator with a device and does its tasks.
func (a *app) joinAndWork(ctx context.Context, o *clusterOptions, place *launch.Place, rail int, addresses []string, secret []byte) error {
	node, err := nodeName()
	if err != nil {
		return err
	}
	hello := &oob.ClusterHello{
		Release: ownRelease, Job: place.Job, Rank: place.Rank, Ranks: place.Ranks, Rail: rail, Rails: len(o.devices()), Node: node, Group: launcherGroup(),
	}
	conn, err := agent.Join(ctx, addresses, secret, hello, o.Own.ConnectTimeout)
	if err != nil {
		return err
	}
	release := context.AfterFunc(ctx, func() { conn.Abort(reason(context.Cause(ctx))) })
	defer release()
	err = agent.Work(conn, &agent.Program{Command: a.command, Rail: rail, Variable: taskVariable, Secret: secret})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// readTopology reads the file of --topology, nil without one.
func readTopology(path string) (topology.Groups, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, usage(fmt.Sprintf("--topology: %v", err))
	}
	defer file.Close()
	groups, err := topology.Parse(file)
	if err != nil {
		return nil, usage(fmt.Sprintf("--topology %s: %v", path, err))
	}
	return groups, nil
}

// launcherGroup returns the leaf switch of this node, as Slurm says.
func launcherGroup() string {
	return topology.OfAddress(os.Getenv("SLURM_TOPOLOGY_ADDR"), os.Getenv("SLURM_TOPOLOGY_ADDR_PATTERN"))
}

// nodeName returns the name of this node: Slurm's, else the host's.
func nodeName() (string, error) {
	host, err := os.Hostname()
	return cmp.Or(os.Getenv("SLURMD_NODENAME"), host), err
}
