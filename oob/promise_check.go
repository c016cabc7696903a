package oob

import (
	"cmp"
	"math"
	"slices"

	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
	"github.com/ibperf/ibperf/verbs"
)

// Check returns an error for the first impossible value of a promise. It names the range of possible values.
func (p *Promise) Check() error {
	s := &p.Side
	err := checkAll(
		checkRate("clock_ns", s.ClockNs), checkRate("clock_step_ns", s.ClockStepNs), checkRate("clock_hz", s.ClockHz),
		check{"cpus", float64(s.CPUs), 0, maxCPU, nil},
		check{"kept", float64(p.MaxScatterToCQE), 0, math.MaxInt32, nil},
		check{"order", float64(p.Order), float64(verbs.OrderUnknown), float64(verbs.OrderWhole), nil},
		check{"unlike", float64(len(p.PathDifferences)), 0, maxPathDifferences, reason("texts")},
		check{"more_devices", float64(len(s.More)), 0, option.MaxDevices - 1, reason("devices")},
		check{"more_cpus", float64(len(p.MoreCPUs)), float64(len(s.More)), float64(len(s.More)), reason("lists, one for each of more_devices")},
	)
	err = cmp.Or(err, checkDevice(&s.Device))
	if s.Idle != nil {
		for _, state := range s.Idle.States {
			err = cmp.Or(err, checkRate("exit_latency_ns", state.ExitNs).err())
		}
		if limit := s.Idle.LimitNs; limit != nil {
			err = cmp.Or(err, checkRate("latency_limit_ns", *limit).err())
		}
	}
	if s.NUMA != nil {
		err = cmp.Or(err, inMember("numa", checkNUMA(s.NUMA)))
	}
	if s.TPH != nil {
		err = cmp.Or(err, inMember("tph", checkTPH(s.TPH)))
	}
	if s.Tuning != nil {
		err = cmp.Or(err, inMember("tuning", checkTuning(s.Tuning)))
	}
	for _, more := range s.More {
		err = cmp.Or(err, checkDevice(&more.Device))
		if more.NUMA != nil {
			err = cmp.Or(err, inMember("numa", checkNUMA(more.NUMA)))
		}
		if more.Tuning != nil {
			err = cmp.Or(err, inMember("tuning", checkTuning(more.Tuning)))
		}
	}
	for _, text := range p.PathDifferences {
		err = cmp.Or(err, checkText("unlike", text))
	}
	return err
}

func checkDevice(d *result.Device) error {
	return checkAll(
		check{"active_mtu_bytes", float64(d.ActiveMTU), 0, maxMTU, nil},
		check{"max_mtu_bytes", float64(d.MaxMTU), 0, maxMTU, nil},
	)
}

func checkTPH(t *result.TPH) error {
	cpu := 0
	if t.CPU != nil {
		cpu = *t.CPU
	}
	err := checkAll(check{"hint", float64(t.Hint), 0, 3, nil}, check{"cpu", float64(cpu), 0, maxCPU, nil})
	return cmp.Or(err, checkText("memory", t.Memory))
}

func checkNUMA(n *result.NUMA) error {
	nodes, shares := n.SetUp, 0.0
	if n.Device != nil {
		nodes = append(slices.Clip(nodes), *n.Device)
	}
	for _, m := range n.Memory {
		nodes, shares = append(slices.Clip(nodes), m.Node), max(shares, m.Share)
	}
	err := checkAll(
		check{"nodes", float64(n.Nodes), 0, maxNodes, nil},
		check{"memory", float64(len(n.Memory)), 0, maxNodes, reason("NUMA nodes")},
		check{"share", shares, 0, 1, nil},
	)
	return cmp.Or(err, checkNodes("node", nodes))
}

// checkNodes checks the number and the numbers of NUMA nodes.
func checkNodes(name string, nodes []int) error {
	err := check{name, float64(len(nodes)), 0, 3 * maxNodes, reason("NUMA nodes")}.err()
	for _, node := range nodes {
		err = cmp.Or(err, check{name, float64(node), 0, maxNodes - 1, nil}.err())
	}
	return err
}
