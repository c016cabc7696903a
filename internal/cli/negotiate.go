package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// merge makes the plan of both sides: the client's, except for what was given
// on the server only. It returns the options that the server has decided.
// What both were given must be the same.
func merge(client, server *options) (option.Plan, []string, error) {
	final := client.Settings
	var decided, conflicts []string
	for _, o := range option.AgreedOptions() {
		theirs, ours := o.Written(&client.Settings), o.Written(&server.Settings)
		switch {
		case !slices.Contains(server.given, o.Name) || theirs == ours:
		case !o.In(client.Test):
			conflicts = append(conflicts, fmt.Sprintf("the server was given %s, which %s does not have", ours, client.Program()))
		case slices.Contains(client.given, o.Name):
			conflicts = append(conflicts, fmt.Sprintf("the client was given %s and the server %s", theirs, ours))
		default:
			o.Copy(&final, &server.Settings)
			decided = append(decided, ours)
		}
	}
	if len(conflicts) > 0 {
		return final.Plan, nil, conflict("options in conflict: " + strings.Join(conflicts, "; ") +
			"; give an option on one side only, or the same value on both")
	}
	err := final.Plan.Check()
	if err == nil {
		err = checkGivenSizes(&final.Plan, slices.Concat(client.given, server.given))
	}
	if err != nil {
		return final.Plan, nil, conflict("options in conflict: " + err.Error() + together(decided))
	}
	return final.Plan, decided, nil
}

// together says what the server has added to a plan that is not possible.
func together(decided []string) string {
	if len(decided) == 0 {
		return ""
	}
	return "; the server was given " + strings.Join(decided, " ")
}

// checkOwn tells whether this side's own options go with the final plan.
func (s *session) checkOwn() error {
	both := option.Settings{Plan: s.plan, Own: s.options.Own}
	if err := both.Check(); err != nil {
		return conflict("options in conflict: " + err.Error() + ", of which the sides were given one each")
	}
	return nil
}

// checkAnswer tells whether a plan has all that the client was given
// explicitly, and returns the options that the server has decided.
func checkAnswer(final *option.Plan, mine *options) ([]string, error) {
	theirs := option.Settings{Plan: *final}
	var decided []string
	for _, o := range option.AgreedOptions() {
		switch got, want := o.Written(&theirs), o.Written(&mine.Settings); {
		case got == want:
		case slices.Contains(mine.given, o.Name):
			return nil, &peerFault{fmt.Errorf("check the server's plan: %s came back as %s", want, got)}
		default:
			decided = append(decided, got)
		}
	}
	return decided, nil
}

// checkDevices refuses devices that cannot reach each other: an embedded one and a real
// one, or two embedded ones on two hosts.
func checkDevices(client, server deviceID) error {
	kind := map[bool]string{true: "an embedded device", false: "an RDMA device"}
	switch {
	case client.embedded() != server.embedded():
		return conflict(fmt.Sprintf("the client has %s, %s, and the server %s, %s, which cannot reach each other: name devices of one kind with -d",
			client.Name, kind[client.embedded()], server.Name, kind[server.embedded()]))
	case client.embedded() && client.Boot != server.Boot:
		return conflict(fmt.Sprintf("the client has %s and the server %s, embedded devices, which reach each other within one host only: "+
			"these are two. Name RDMA devices with -d (ib_caps lists them), or run both sides on one host", client.Name, server.Name))
	}
	return nil
}
