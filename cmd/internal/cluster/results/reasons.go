package results

import (
	"fmt"
	"strings"
)

// loopback returns the state of a node that was tested with itself: nothing can be compared.
func (j *Judge) loopback(node int) (state, why string) {
	tests, failed := 0, 0
	for i := range j.tests {
		if j.tests[i].A != node {
			continue
		}
		tests++
		text := j.tests[i].Error
		if text == "" {
			text = j.limits.Missed(&j.tests[i])
		}
		if text != "" {
			if failed++; failed == 1 {
				why = text
			}
		}
	}
	switch failed {
	case 0:
		return Good, ""
	case tests:
		return Bad, fmt.Sprintf("all %d tests of its device with itself failed or missed a limit, the first one: %s", failed, why)
	}
	return Undecided, fmt.Sprintf("%d of %d tests of its device with itself failed or missed a limit, the first one: %s", failed, tests, why)
}

// why returns the reason for a node's state.
func (j *Judge) why(node int, evidence []Evidence) string {
	var parts []string
	for _, e := range evidence {
		counts := fmt.Sprintf("%d tests with %d nodes", e.Tests, e.Partners)
		switch {
		case e.State == Good:
		case e.State == Undecided && e.Figure == MeetsLimits:
			parts = append(parts, j.misses(node))
		case e.State == Undecided:
			parts = append(parts, fmt.Sprintf("%s: %s do not decide", e.Figure, counts))
		case e.Figure == Success:
			parts = append(parts, j.failures(node))
		case e.Figure == MeetsLimits:
			parts = append(parts, j.misses(node))
		case e.Figure == Latency:
			parts = append(parts, fmt.Sprintf("latency %.3g times the median in %s (evidence %.1f, limit %.1f)", 1/e.Ratio, counts, e.Sum, e.Limit))
		default:
			parts = append(parts, fmt.Sprintf("bandwidth %.3g times the median in %s (evidence %.1f, limit %.1f)", e.Ratio, counts, e.Sum, e.Limit))
		}
	}
	return strings.Join(parts, "; ")
}

// misses returns how many tests of a node have missed a limit, and the first one.
func (j *Judge) misses(node int) string {
	tests, missed, first := 0, 0, ""
	for _, t := range j.tests {
		if t.A != node && t.B != node || t.Error != "" {
			continue
		}
		tests++
		if text := j.limits.Missed(&t); text != "" {
			if missed++; missed == 1 {
				first = text
			}
		}
	}
	return fmt.Sprintf("%d of %d tests missed a limit, the first one: %s", missed, tests, first)
}

// failures returns how many tests of a node have failed, and the first error.
func (j *Judge) failures(node int) string {
	tests, errors, first := 0, 0, ""
	for _, t := range j.tests {
		if t.A != node && t.B != node {
			continue
		}
		tests++
		if t.Error != "" {
			if errors++; errors == 1 {
				first = t.Error
			}
		}
	}
	return fmt.Sprintf("%d of %d tests failed, the first one: %s", errors, tests, first)
}
