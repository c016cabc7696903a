package harness

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ibperf/ibperf/harness/internal/affinity"
	"github.com/ibperf/ibperf/internal/sched"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// watched is a device that records on which CPUs the threads of its calls may run.
type watched struct {
	verbs.Context
	mu   sync.Mutex
	seen map[string][]int
}

func (c *watched) record(t *testing.T, call string) {
	t.Helper()
	set, err := sched.Affinity(0)
	if err != nil {
		t.Error(err)
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, found := c.seen[call]; found && !slices.Equal(before, cpus) {
		t.Errorf("%s was called on CPUs %v and on %v", call, before, cpus)
	}
	c.seen[call] = cpus
}

type watchedContext struct {
	*watched
	t *testing.T
}

func (c watchedContext) CreateCQ(cqe int, ch verbs.CompChannel, vector int) (verbs.CQ, error) {
	c.record(c.t, "create_cq")
	return c.Context.CreateCQ(cqe, ch, vector)
}

func (c watchedContext) AllocPD() (verbs.PD, error) {
	pd, err := c.Context.AllocPD()
	return watchedPD{pd, c}, err
}

type watchedPD struct {
	verbs.PD
	c watchedContext
}

func (p watchedPD) RegMR(b []byte, access verbs.Access) (verbs.MR, error) {
	p.c.record(p.c.t, "reg_mr")
	return p.PD.RegMR(b, access)
}

func (p watchedPD) CreateQP(init *verbs.QPInitAttr) (verbs.QP, error) {
	p.c.record(p.c.t, "create_qp")
	qp, err := p.PD.CreateQP(init)
	if err != nil {
		return nil, err
	}
	return watchedQP{qp, p.c}, nil
}

type watchedQP struct {
	verbs.QP
	c watchedContext
}

func (q watchedQP) Modify(attr *verbs.QPAttr, mask verbs.QPAttrMask) error {
	q.c.record(q.c.t, "modify_qp")
	return q.QP.Modify(attr, mask)
}

// Memory, CQs and QPs are made on CPUs near the device, and messages are sent there. Between them the thread runs where it could
// before. The CPUs of --pin_cores are those of the whole run.
func TestSetUpNearTheDevice(t *testing.T) {
	room := affinity.Free(nil)
	if len(room) < 2 {
		t.Skip("needs two CPUs")
	}
	near := room[len(room)-1:]
	for _, c := range []struct {
		what          string
		cpus          []int
		pin           bool
		setUp, during []int
	}{
		{"no CPU is near", nil, false, room, room},
		{"one CPU is near", near, false, near, room},
		{"pinned", near, true, near, near},
	} {
		var devices [2]*watched
		files, errs := pair{device: "shm_whole", plan: testPlan(option.OpSend, option.KindBandwidth, 8, 10),
			config: func(_ int, cfg *Config) { cfg.Devices[0].CPUs, cfg.Pin = c.cpus, c.pin },
			wrap: func(side int, ctx verbs.Context) verbs.Context {
				devices[side] = &watched{Context: ctx, seen: map[string][]int{}}
				return watchedContext{devices[side], t}
			}}.run(t)
		affinity.Confine(room)
		if errs != [2]error{} {
			t.Fatal(errs)
		}
		for side, d := range devices {
			for call, want := range map[string][]int{"reg_mr": c.setUp, "create_cq": c.setUp, "create_qp": c.setUp, "modify_qp": c.during} {
				if got := d.seen[call]; !slices.Equal(got, want) {
					t.Errorf("%s: side %d called %s on CPUs %v, want %v", c.what, side, call, got, want)
				}
			}
			if got := onlyRow(t, files[side]).Local.CPUs; c.cpus != nil && !slices.Equal(got, near) {
				t.Errorf("%s: side %d measured on CPUs %v, want %v", c.what, side, got, near)
			}
		}
	}
}

// Memory, CQs and QPs of each of several devices are made on CPUs near it, and its messages are sent there.
func TestSetUpNearEachDevice(t *testing.T) {
	room := affinity.Free(nil)
	if len(room) < 2 {
		t.Skip("needs two CPUs")
	}
	near := map[string][]int{"shm_whole": room[:1], "shm_block128": room[len(room)-1:]}
	var mu sync.Mutex
	devices := map[*watched]string{}
	p := testPlan(option.OpSend, option.KindBandwidth, 8, 10)
	p.Devices = 2
	files, errs := pair{device: twoDevices, plan: p,
		config: func(_ int, cfg *Config) {
			for i := range cfg.Devices {
				cfg.Devices[i].CPUs = near[cfg.Devices[i].Context.Device().Name()]
			}
		},
		wrap: func(side int, ctx verbs.Context) verbs.Context {
			mu.Lock()
			defer mu.Unlock()
			w := &watched{Context: ctx, seen: map[string][]int{}}
			devices[w] = ctx.Device().Name()
			return watchedContext{w, t}
		}}.run(t)
	affinity.Confine(room)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	for d, name := range devices {
		for _, call := range []string{"reg_mr", "create_cq", "create_qp"} {
			if got := d.seen[call]; !slices.Equal(got, near[name]) {
				t.Errorf("%s: %s was called on CPUs %v, want %v", name, call, got, near[name])
			}
		}
	}
	for side, f := range files {
		for i, name := range strings.Split(twoDevices, ",") {
			if got := onlyRow(t, f).Devices[i].Local.CPUs; !slices.Equal(got, near[name]) {
				t.Errorf("side %d measured %s on CPUs %v, want %v", side, name, got, near[name])
			}
		}
	}
}

// A result has the NUMA nodes of both sides: of memory, of the threads that made it, and of the threads that
// measured.
func TestNUMANodesOfARun(t *testing.T) {
	if _, err := fs.Stat(os.DirFS("/"), "proc/self/numa_maps"); err != nil {
		t.Skip(err)
	}
	p := testPlan(option.OpSend, option.KindBandwidth, 64, 100)
	p.QPs, p.Threads = 2, 2
	files, errs := pair{device: "shm_whole", plan: p}.run(t)
	if errs != [2]error{} {
		t.Fatal(errs)
	}
	for side, f := range files {
		for _, s := range []result.Side{f.Local, f.Peer} {
			sum := 0.0
			for _, m := range s.NUMA.Memory {
				sum += m.Share
			}
			if sum < 0.999 || sum > 1.001 || len(s.NUMA.SetUp) == 0 || s.NUMA.Nodes == 0 || s.NUMA.Device != nil {
				t.Errorf("side %d: %+v", side, *s.NUMA)
			}
			if s.NUMA.Nodes == 1 && (len(s.NUMA.Memory) != 1 || len(s.NUMA.SetUp) != 1) {
				t.Errorf("side %d: %+v on a host with one node", side, *s.NUMA)
			}
		}
		r := onlyRow(t, f)
		for _, nodes := range [][]int{r.Local.NUMANodes, r.Peer.NUMANodes} {
			if len(nodes) == 0 || len(nodes) > f.Local.NUMA.Nodes {
				t.Errorf("side %d: threads on nodes %v and %v", side, r.Local.NUMANodes, r.Peer.NUMANodes)
			}
		}
	}
}

// Memory that is not on the device's node is a reason to doubt the run.
func TestWarningAboutNodes(t *testing.T) {
	for _, c := range []struct {
		what string
		numa *result.NUMA
		want string
	}{
		{"an old file", nil, ""},
		{"no device", &result.NUMA{Nodes: 2, Memory: []result.NodeShare{{Node: 0, Share: 1}}}, ""},
		{"unknown memory", &result.NUMA{Nodes: 2, Device: new(1)}, ""},
		{"there", &result.NUMA{Nodes: 2, Device: new(1), Memory: []result.NodeShare{{Node: 1, Share: 1}}}, ""},
		{"single pages elsewhere", &result.NUMA{Nodes: 2, Device: new(1), Memory: []result.NodeShare{{Node: 0, Share: 0.02}, {Node: 1, Share: 0.98}}}, ""},
		{"elsewhere", &result.NUMA{Nodes: 2, Device: new(1), Memory: []result.NodeShare{{Node: 0, Share: 1}}}, "on the peer 100 % of the memory"},
		{"a half", &result.NUMA{Nodes: 2, Device: new(1), Memory: []result.NodeShare{{Node: 0, Share: 0.5}, {Node: 1, Share: 0.5}}}, "--numa_node 1"},
	} {
		theirs := result.Side{Device: result.Device{Name: "mlx5_1"}, NUMA: c.numa}
		w := runWarnings(&option.Plan{}, decision{}, result.Side{}, theirs)
		if len(w) != min(1, len(c.want)) || len(w) > 0 && (w[0].ID != result.WarnNUMANode || !strings.Contains(w[0].Text, c.want)) {
			t.Errorf("%s: %+v, want %q", c.what, w, c.want)
		}
	}
}
