package coordinator

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/agent"
	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/cmd/internal/cluster/schedule"
	"github.com/ibperf/ibperf/oob"
)

// limit is the time that a test waits for what takes a moment.
const limit = time.Minute

// bench is a run whose agents are goroutines that measure nothing.
type bench struct {
	t       *testing.T
	config  Config
	socket  net.Listener
	address string // of the socket
	agents  sync.WaitGroup
	mu      sync.Mutex
	notes   []string
}

func newBench(t *testing.T, ranks int, dir string, resume bool) *bench {
	t.Helper()
	settings := results.Settings{Ranks: ranks, Rails: 1, Schedule: schedule.PatternCircle, Partners: schedule.DefaultPartners, Slow: 0.1}
	journal, err := results.Open(dir, results.Head{Seed: 1, Settings: settings}, resume)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { journal.Close() })
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, socket: socket, address: socket.Addr().String()}
	b.config = Config{
		Release: "v1", Job: "7.0", Settings: settings, Wait: limit, Limit: limit, End: limit, Journal: journal,
		Embedded: func(d oob.DeviceID) bool { return d.Backend == "shm" },
		Note: func(format string, values ...any) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.notes = append(b.notes, fmt.Sprintf(format, values...))
		},
	}
	return b
}

// join starts the agent of a rank's only device.
func (b *bench) join(rank int, do func(oob.ClusterTask) oob.ClusterOutcome) { b.joinRail(rank, 0, do) }

// joinRail starts an agent of a device of a rank.
func (b *bench) joinRail(rank, rail int, do func(oob.ClusterTask) oob.ClusterOutcome) {
	b.agents.Go(func() {
		hello := &oob.ClusterHello{Release: "v1", Job: "7.0", Rank: rank, Ranks: b.config.Ranks, Rail: rail, Rails: b.config.Rails, Node: fmt.Sprint("n", rank), Group: fmt.Sprint("leaf", rank%2)}
		conn, err := agent.Join(b.t.Context(), []string{b.address}, nil, hello, limit)
		if err != nil {
			b.t.Errorf("rank %d: %v", rank, err)
			return
		}
		defer conn.Close()
		for {
			task, err := conn.ReceiveTask()
			if err != nil || task.Kind == oob.TaskEnd {
				return
			}
			o := do(task)
			if o.Error == "die" {
				conn.Cut("", "died")
				return
			}
			if conn.SendOutcome(&o) != nil {
				return
			}
		}
	})
}

// good is an agent whose tests are good. Its figures differ a little from test to test.
func good(rank int) func(oob.ClusterTask) oob.ClusterOutcome {
	n := 0
	return func(task oob.ClusterTask) oob.ClusterOutcome {
		switch task.Kind {
		case oob.TaskDescribe:
			return oob.ClusterOutcome{Device: &oob.DeviceID{Name: "shm_whole", Backend: "shm", Boot: "1"}}
		case oob.TaskServe:
			return oob.ClusterOutcome{Port: 4000 + rank}
		case oob.TaskMeasure:
			n = (n*31 + rank + task.Port) % 97
			return oob.ClusterOutcome{Bandwidth: 1e9 + 1e5*float64(n), MedianNs: 2000 + float64(n)/10, P99Ns: 3000}
		}
		return oob.ClusterOutcome{}
	}
}

// run runs the coordinator and returns the document.
func (b *bench) run() (*results.Document, error) {
	b.t.Helper()
	l, err := oob.ListenOn(b.socket, oob.ListenOptions{Program: oob.Cluster, Clients: b.config.Nodes()})
	if err != nil {
		b.t.Fatal(err)
	}
	d := &results.Document{Settings: b.config.Settings}
	err = Run(b.t.Context(), l, b.config, d)
	l.Close()
	b.agents.Wait()
	return d, err
}

// states returns the ranks that are in a state.
func states(d *results.Document, state string) (ranks []int) {
	for _, n := range d.Nodes {
		if n.State == state {
			ranks = append(ranks, n.Rank)
		}
	}
	return ranks
}

// nodes returns the nodes that are in a state.
func nodes(d *results.Document, state string) (all []int) {
	for i, n := range d.Nodes {
		if n.State == state {
			all = append(all, i)
		}
	}
	return all
}

// pairs returns the number of different pairs that were tested.
func pairs(d *results.Document) int {
	all := map[[2]int]bool{}
	for _, t := range d.Tests {
		all[[2]int{min(t.A, t.B), max(t.A, t.B)}] = true
	}
	return len(all)
}
