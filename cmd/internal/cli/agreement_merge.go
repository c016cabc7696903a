package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ibperf/ibperf/option"
)

// merge makes the plan of both sides: the client's plan with the options that only the server
// was given. An option that both sides were given must have the same value. merge returns the
// options that the server has decided. It does not check the plan: [resolve] does.
func merge(client, server *options) (plan option.Plan, decided []string, err error) {
	final := client.Settings
	var conflicts []string
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
	if err := checkGivenSizes(&final.Plan, slices.Concat(client.given, server.given)); err != nil {
		return final.Plan, nil, inConflict(err, decided)
	}
	return final.Plan, decided, nil
}

// resolve checks the plan of both sides together with this side's own options, and resolves it.
func resolve(final option.Plan, mine *options, decided []string) (option.ResolvedPlan, error) {
	both := option.Settings{Plan: final, Own: mine.Own}
	plan, err := both.Resolve()
	if err != nil {
		return plan, inConflict(err, decided)
	}
	return plan, nil
}

// inConflict returns the error of a plan that each side's options alone do not have.
func inConflict(err error, decided []string) error {
	text := "options in conflict: " + err.Error()
	if len(decided) > 0 {
		return conflict(text + "; the server was given " + strings.Join(decided, " "))
	}
	return conflict(text + "; the client was given one of them and the server the other")
}
