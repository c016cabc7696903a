package harness

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/ibperf/ibperf/oob"
	"golang.org/x/sys/unix"
)

// Which CPU a measuring thread is kept on: the one that was asked for, and in a comparison
// one of its own where there are two. What the sides tell each other between rounds wakes
// threads of both sides on one CPU, and a round is over before the kernel has moved one of
// them; and what the modes are compared by depends on where the threads are.

// noCPU is where a thread may run anywhere.
const noCPU = -1

// cpus are those that a side may measure on, the best one last, or if it is pinned first.
func (c *Config) cpus() []int {
	if c.Pin {
		return c.CPUs
	}
	return ourThreads.free(c.CPUs)
}

// places returns the CPUs of the client's and the server's thread.
func places(compare bool, client, server oob.Promise) (ofClient, ofServer int) {
	ofClient, ofServer = noCPU, noCPU
	if client.Pinned && len(client.CPUs) > 0 {
		ofClient = client.CPUs[0]
	}
	if server.Pinned && len(server.CPUs) > 0 {
		ofServer = server.CPUs[0]
	}
	if !compare {
		return ofClient, ofServer
	}
	if client.Boot == "" || client.Boot != server.Boot {
		return ownPlace(ofClient, client), ownPlace(ofServer, server)
	}
	return apart(ofClient, ofServer, client, server)
}

// ownPlace is a side's CPU on a host that it has for itself: the last one, since the first
// has work of the kernel's to do, if there is another one for the other threads.
func ownPlace(chosen int, side oob.Promise) int {
	if chosen != noCPU || len(side.CPUs) < 2 {
		return chosen
	}
	return side.CPUs[len(side.CPUs)-1]
}

// apart keeps two sides on one host apart: on the last CPU that the client may use, and the
// first other one that the server may. Neither has one if that is not possible.
func apart(chosenClient, chosenServer int, client, server oob.Promise) (ofClient, ofServer int) {
	for _, c := range slices.Backward(client.CPUs) {
		if chosenClient != noCPU && c != chosenClient {
			continue
		}
		fits := func(s int) bool { return s != c && (chosenServer == noCPU || s == chosenServer) }
		if i := slices.IndexFunc(server.CPUs, fits); i >= 0 {
			return c, server.CPUs[i]
		}
	}
	return chosenClient, chosenServer
}

// takePlaces decides on the CPUs of both sides' threads, and notes them.
func (s *session) takePlaces(mine, theirs oob.Promise) {
	p := &s.cfg.Plan
	s.cpu = noCPU
	if p.Workers > 1 {
		return
	}
	here, there := places(p.Compare, mine, theirs)
	if s.cfg.Role == Server {
		there, here = places(p.Compare, theirs, mine)
	}
	s.cpu = here
	peer := noCPU
	if mine.Boot == theirs.Boot {
		peer = there
	}
	s.leave = ourThreads.keepOff(here, peer)
	for _, at := range []struct {
		cpu int
		of  **int
	}{{here, &s.cfg.File.Local.PinnedCPU}, {there, &s.cfg.File.Peer.PinnedCPU}} {
		if at.cpu != noCPU {
			*at.of = &at.cpu
		}
	}
}

// currentCPU is the CPU of the calling thread by proc_pid_stat(5), noCPU if it is not known.
func currentCPU() int {
	const processor = 39 - 3 // its place among the fields that follow the name
	var text [1024]byte
	stat := readSmall("/proc/thread-self/stat", text[:])
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= processor {
		return noCPU
	}
	cpu, err := strconv.Atoi(string(fields[processor]))
	if err != nil {
		return noCPU
	}
	return cpu
}

// readSmall reads a small file of the kernel's into b, without the garbage that an os.File leaves;
// what cannot be read is empty.
func readSmall(path string, b []byte) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, b)
	return b[:max(0, n)]
}
