package harness

import (
	"slices"

	"github.com/ibperf/ibperf/oob"
	"golang.org/x/sys/unix"
)

// Where both sides of a comparison are on one host, their measuring threads are kept on
// CPUs of their own. What the sides tell each other between rounds wakes their threads on
// one CPU, and a round is over before the kernel has moved one of them.

// noCPU is where a thread may run anywhere.
const noCPU = -1

// allowedCPUs returns the CPUs that this process may run on, in their order.
func allowedCPUs() (cpus []int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil // without it nothing is kept apart
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// apart returns the CPUs of the client's and the server's thread: the last one that the
// client may use, and the first other one that the server may. Neither has one if they are
// on different hosts or cannot be kept apart.
func apart(client, server oob.Promise) (ofClient, ofServer int) {
	if client.Boot == "" || client.Boot != server.Boot {
		return noCPU, noCPU
	}
	for _, c := range slices.Backward(client.CPUs) {
		if i := slices.IndexFunc(server.CPUs, func(s int) bool { return s != c }); i >= 0 {
			return c, server.CPUs[i]
		}
	}
	return noCPU, noCPU
}

// keepApart decides on the CPU of this side's thread in a comparison, and notes both sides'.
func (s *session) keepApart(mine, theirs oob.Promise) {
	p := &s.cfg.Plan
	s.cpu = noCPU
	if !p.Compare || p.Workers > 1 {
		return
	}
	here, there := apart(mine, theirs)
	if s.cfg.Role == Server {
		there, here = apart(theirs, mine)
	}
	if s.cpu = here; here != noCPU {
		s.cfg.File.Local.PinnedCPU, s.cfg.File.Peer.PinnedCPU = &here, &there
	}
}

// onto keeps the calling thread on a CPU, and returns what lets it go.
func onto(cpu int) (release func()) {
	var before, only unix.CPUSet
	if cpu == noCPU || unix.SchedGetaffinity(0, &before) != nil {
		return func() {}
	}
	only.Set(cpu)
	if unix.SchedSetaffinity(0, &only) != nil {
		return func() {} // the CPU was taken from the process meanwhile
	}
	return func() { _ = unix.SchedSetaffinity(0, &before) }
}
