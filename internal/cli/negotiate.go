package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/harness"
)

// merge makes the plan of both sides: the client's, except for what was given
// on the server only. It returns the options that the server has decided.
// What both were given must be the same.
func merge(client, server *harness.Plan, givenClient, givenServer []string) (harness.Plan, []string, error) {
	plan := *client
	var decided, conflicts []string
	for _, f := range fields {
		theirs, ours := f.show(client), f.show(server)
		if !slices.Contains(givenServer, f.name) || theirs == ours {
			continue
		}
		if slices.Contains(givenClient, f.name) {
			conflicts = append(conflicts, fmt.Sprintf("the client was given %s and the server %s", theirs, ours))
			continue
		}
		f.take(&plan, server)
		decided = append(decided, ours)
	}
	if len(conflicts) > 0 {
		return plan, nil, conflict("options in conflict: " + strings.Join(conflicts, "; ") +
			"; give an option on one side only, or the same value on both")
	}
	return plan, decided, nil
}

// checkAnswer tells whether a plan has all that the client was given
// explicitly, and returns the options that the server has decided.
func checkAnswer(final, mine *harness.Plan, given []string) ([]string, error) {
	var decided []string
	for _, f := range fields {
		switch got, want := f.show(final), f.show(mine); {
		case got == want:
		case slices.Contains(given, f.name):
			return nil, &peerFault{fmt.Errorf("check the server's plan: %s came back as %s", want, got)}
		default:
			decided = append(decided, got)
		}
	}
	return decided, nil
}

// checkPrograms refuses sides that run different programs.
func checkPrograms(client, server string) error {
	if client == server {
		return nil
	}
	return conflict(fmt.Sprintf("the client is %s and the server %s: run the same program on both sides", client, server))
}

// checkDevices refuses an embedded device against a real one: they cannot reach
// each other.
func checkDevices(client, server deviceID) error {
	if client.embedded() == server.embedded() {
		return nil
	}
	kind := map[bool]string{true: "an embedded device", false: "an RDMA device"}
	return conflict(fmt.Sprintf("the client has %s, %s, and the server %s, %s, which cannot reach each other: name devices of one kind with -d",
		client.Name, kind[client.embedded()], server.Name, kind[server.embedded()]))
}

// memoryShare is the part of the machine's memory that a plan may take: a half.
const memoryShare = 2

// checkMemory refuses a plan that this machine cannot hold.
func checkMemory(p *harness.Plan, machine uint64) error {
	need, limit := uint64(p.Memory()), machine/memoryShare
	if need <= limit {
		return nil
	}
	return conflict(fmt.Sprintf("messages of %d bytes on %d QPs need %d MiB, and a run may take %d MiB of this machine: choose smaller sizes or fewer QPs",
		slices.Max(p.Sizes), p.QPs, need>>20, limit>>20))
}
