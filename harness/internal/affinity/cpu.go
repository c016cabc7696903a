// Package affinity places measuring threads on CPUs and keeps the process's other threads off these CPUs.
package affinity

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
)

// NoCPU stands for a thread that may run on any CPU.
const NoCPU = -1

// Side holds the CPUs that one side can measure on.
type Side struct {
	Boot   string // boot id of its kernel: equal on two sides of one host
	CPUs   []int  // preferred CPU last, or first if Pinned
	Pinned bool   // the user named the CPUs
}

// Choose returns the CPUs of the client's and the server's measuring thread: the pinned one, and in a
// comparison one for each side where the host has two. The exchange between rounds wakes threads of both
// sides on one CPU, and a round ends before the kernel moves one of these threads.
func Choose(compare bool, client, server Side) (ofClient, ofServer int) {
	clients, servers := client.candidates(compare), server.candidates(compare)
	if client.Boot != "" && client.Boot == server.Boot {
		for _, c := range slices.Backward(clients) {
			for _, s := range servers {
				if s != c {
					return c, s
				}
			}
		}
	}
	return clients[len(clients)-1], servers[len(servers)-1] // the first CPU runs kernel work
}

// candidates returns the CPUs, or NoCPU, from which one is chosen.
func (s Side) candidates(compare bool) []int {
	switch {
	case s.Pinned && len(s.CPUs) > 0:
		return s.CPUs[:1]
	case compare && len(s.CPUs) > 1: // an only CPU is left to all threads
		return s.CPUs
	}
	return []int{NoCPU}
}

// ChooseEach returns a CPU for each of n measuring threads of the client and of the server with each of their devices, from the
// preferred one on; none for those of a side if there are fewer CPUs near a device than threads. On one host the server's threads
// get the CPUs that the client's do not have. If these are too few, the others get CPUs of the client's threads, but not of those
// that they communicate with.
func ChooseEach(n int, clients, servers []Side) (ofClients, ofServers []int) {
	ofClients = chooseAll(n, clients, nil)
	if clients[0].Boot == "" || clients[0].Boot != servers[0].Boot {
		return ofClients, chooseAll(n, servers, nil)
	}
	return ofClients, chooseAll(n, servers, ofClients)
}

// chooseAll returns a CPU for each of n threads of a side with each of its devices, no CPU twice.
func chooseAll(n int, devices []Side, others []int) (all []int) {
	for _, s := range devices {
		s.CPUs = slices.DeleteFunc(slices.Clone(s.CPUs), func(cpu int) bool { return slices.Contains(all, cpu) })
		chosen := s.each(n, others)
		if chosen[0] == NoCPU {
			return slices.Repeat(chosen[:1], n*len(devices))
		}
		all = append(all, chosen...)
	}
	return all
}

// each returns a CPU for each of n threads. Those of other threads come last.
func (s Side) each(n int, others []int) []int {
	if len(s.CPUs) < n {
		return slices.Repeat([]int{NoCPU}, n)
	}
	all := slices.Clone(s.CPUs)
	if !s.Pinned {
		slices.Reverse(all)
	}
	var free, taken []int
	for _, cpu := range all {
		if slices.Contains(others, cpu) {
			taken = append(taken, cpu)
		} else {
			free = append(free, cpu)
		}
	}
	slices.Reverse(taken)
	return append(free, taken...)[:n]
}

// CurrentCPU returns the CPU of the calling thread by proc_pid_stat(5), or NoCPU if it is unknown.
func CurrentCPU() int {
	const processor = 39 - 3                         // index among the fields after the name
	text, _ := os.ReadFile("/proc/thread-self/stat") // empty where there is no such file
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= processor {
		return NoCPU
	}
	cpu, _ := strconv.Atoi(fields[processor]) // always a number
	return cpu
}
