package verbstest

import (
	"slices"
	"strings"
	"time"
)

// Outcome is the outcome of a statement.
type Outcome string

// The outcomes. Differs alone is a failure.
const (
	Holds   Outcome = "ok"
	Known   Outcome = "quirk"   // the device behaves as its quirks say
	Allowed Outcome = "allowed" // the statement does not hold, which the standard allows to hardware
	Skipped Outcome = "skipped" // mostly because the device lacks the feature
	Differs Outcome = "differs"
)

// Result holds the outcome of a statement on a device.
type Result struct {
	ID      string
	Outcome Outcome
	Reason  string        // of outcomes other than ok
	Quirks  []string      // ids of the quirks that the statement met
	Partly  []string      // skipped cases of a statement that ran, each with its reason
	Output  []string      // lines that the statement logged, with their positions in the suite
	Peer    bool          // the statement had a peer process, see [Target]
	Took    time.Duration //
}

// Check runs an asserted statement on the target, whose port and GID are resolved. It needs no
// test. It does not return if the device hangs.
func Check(target Target, id string) Result {
	all := statements()
	return resultOf(target, all[slices.IndexFunc(all, func(s statement) bool { return s.id == id })])
}

func resultOf(target Target, s statement) Result {
	begun, r := time.Now(), &record{}
	var e *env
	r.begin(func(r *record) {
		e = newEnv(testOf(r), target, s)
		s.in(e)
	})
	result := r.result(e)
	result.ID, result.Took = s.id, time.Since(begun)
	return result
}

// result returns the result of a statement from its record.
func (r *record) result(e *env) Result {
	result := Result{Outcome: Holds, Output: r.lines, Peer: e.peers.Load() > 0}
	for _, q := range e.target.Quirks {
		if e.quirksMet[q.ID] {
			result.Quirks = append(result.Quirks, q.ID)
		}
	}
	skips, all := r.skips()
	skips = append(skips, *e.leftOut...)
	switch {
	case r.failed:
		result.Outcome, result.Reason = Differs, strings.Join(r.errors, "; ")
	case e.expected != nil && e.expected.occurred.Load():
		result.Outcome, result.Reason = e.expected.outcome, e.expected.does
		if q := e.expected.quirk; q != "" {
			result.Quirks = append(result.Quirks, q)
		}
	case r.skipped:
		result.Outcome, result.Reason = Skipped, r.reason
	case all:
		result.Outcome, result.Reason = Skipped, strings.Join(skips, "; ")
	case len(result.Quirks) > 0:
		result.Outcome, result.Reason, result.Partly = Known, e.quirksDo(result.Quirks), skips
	default:
		result.Partly = skips
	}
	return result
}

// quirksDo returns what the quirks with these ids say that the device does instead.
func (e *env) quirksDo(ids []string) string {
	var texts []string
	for _, q := range e.target.Quirks {
		if slices.Contains(ids, q.ID) {
			texts = append(texts, q.Does)
		}
	}
	return strings.Join(texts, "; ")
}
