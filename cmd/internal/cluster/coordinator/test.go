package coordinator

import (
	"net/netip"
	"sync"
	"time"

	"github.com/ibperf/ibperf/cmd/internal/cluster/results"
	"github.com/ibperf/ibperf/oob"
)

// describe asks all agents for their devices, all at once.
func (r *run) describe() error {
	var all sync.WaitGroup
	for _, m := range r.members {
		if m == nil {
			continue
		}
		all.Go(func() {
			o, err := r.ask(m, oob.ClusterTask{Kind: oob.TaskDescribe, Limit: r.Limit})
			switch {
			case err != nil:
			case o.Device == nil:
				m.unusable = o.Error
				r.Note("%v has no usable device: %s", m, o.Error)
			default:
				m.device = *o.Device
			}
		})
	}
	all.Wait()
	return r.checkDevices()
}

// checkDevices refuses a cluster without any device, and embedded devices of several hosts.
func (r *run) checkDevices() error {
	why, embedded, boots := "no rank has appeared", false, map[string]bool{}
	for _, m := range r.members {
		switch {
		case m == nil || m.lost != nil:
		case m.unusable != "":
			why = m.unusable
		default:
			embedded = embedded || r.Embedded(m.device)
			boots[m.device.Boot] = true
		}
	}
	switch {
	case len(boots) == 0:
		return &DeviceError{"no rank has a usable device: " + why}
	case embedded && len(boots) > 1:
		return &DeviceError{"the ranks are on several hosts and have embedded devices, which reach each other within one host only: " +
			"name RDMA devices with -d (ib_caps lists them), or run all ranks on one host"}
	}
	return nil
}

// leaveLimit is the time in which the server of a test must end whose client has failed.
const leaveLimit = 3 * time.Second

// test measures a pair. It reports false if an agent is lost meanwhile: then there was no test.
func (r *run) test(a, b *member) (t results.Test, tested bool) {
	begun := time.Now()
	t = results.Test{Round: r.rounds, A: a.node, B: b.node}
	server, err := r.ask(a, oob.ClusterTask{Kind: oob.TaskServe, Limit: r.Limit, Verify: r.Verify, Time: r.testTime()})
	if err != nil {
		return t, false
	}
	t.Error = server.Error
	if server.Error == "" {
		measured, lost := r.ask(b, oob.ClusterTask{
			Kind: oob.TaskMeasure, Limit: r.Limit, Verify: r.Verify, Time: r.testTime(), Port: server.Port, Host: hostOf(a.conn.RemoteAddr(), b.conn.LocalAddr()),
		})
		limit := r.Limit
		if lost != nil || measured.Error != "" {
			limit = leaveLimit
		}
		ended, err := r.ask(a, oob.ClusterTask{Kind: oob.TaskAwait, Limit: limit})
		if lost != nil || err != nil {
			return t, false
		}
		t.Bandwidth, t.MedianNs, t.P99Ns = measured.Bandwidth, measured.MedianNs, measured.P99Ns
		if t.Error = measured.Error; t.Error == "" || ended.WrongData { // else the server's error follows from the client's
			t.Error = ended.Error
		}
	}
	t.Time = time.Now().UTC()
	t.Seconds = t.Time.Sub(begun).Seconds()
	if t.Error != "" {
		t.Bandwidth, t.MedianNs, t.P99Ns = 0, 0, 0
	}
	return t, true
}

// testTime returns the time of each test of a pair, 0 for the usual one.
func (r *run) testTime() time.Duration {
	switch {
	case r.Together:
		return togetherTime
	case r.AllRails:
		return allRailsTime
	}
	return 0
}

// hostOf returns the address of a server, whose agent rank 0 sees at an address. Agents on rank 0's host may have the
// loopback address, which is of no use on other hosts: a client there takes the address at which it has reached rank 0.
func hostOf(server, reached string) string {
	seen, err := netip.ParseAddrPort(server)
	if err == nil && seen.Addr().Unmap().IsLoopback() {
		seen, err = netip.ParseAddrPort(reached)
	}
	if err != nil {
		return ""
	}
	return seen.Addr().Unmap().String()
}
