package verbstest

import (
	"slices"
	"strings"
	"time"
)

// Outcome is what became of a statement.
type Outcome string

// The outcomes. Differs alone is a failure.
const (
	Holds   Outcome = "ok"
	Known   Outcome = "quirk"   // the device does what its quirks say
	Allowed Outcome = "allowed" // it does not hold, and hardware may rightly answer otherwise
	Skipped Outcome = "skipped" // mostly since the device offers no such thing
	Differs Outcome = "differs"
)

// Result is what became of a statement on a device.
type Result struct {
	ID      string
	Outcome Outcome
	Reason  string        // of outcomes other than ok
	Quirks  []string      // ids of those that were met
	Partly  []string      // cases that were skipped, each with its reason, of a statement that was not
	Said    []string      // while it ran, with the places in the suite
	Peer    bool          // another process took part, see [Target]
	Took    time.Duration //
}

// Check holds the target, whose port and GID are resolved, to a statement that is asserted. It
// needs no test to run in. It returns when the statement ends, which may be never if the device hangs.
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

// result is what the record of a statement says.
func (r *record) result(e *env) Result {
	result := Result{Outcome: Holds, Said: r.lines, Peer: e.peers.Load() > 0}
	for _, q := range e.target.Quirks {
		if e.met[q.ID] {
			result.Quirks = append(result.Quirks, q.ID)
		}
	}
	skips, all := r.skips()
	switch {
	case r.failed:
		result.Outcome, result.Reason = Differs, strings.Join(r.errors, "; ")
	case e.excuse != nil && e.excuse.used.Load():
		result.Outcome, result.Reason = e.excuse.outcome, e.excuse.does
		if q := e.excuse.quirk; q != "" {
			result.Quirks = append(result.Quirks, q)
		}
	case r.skipped:
		result.Outcome, result.Reason = Skipped, r.reason
	case all:
		result.Outcome, result.Reason = Skipped, strings.Join(skips, "; ")
	case len(result.Quirks) > 0:
		result.Outcome, result.Reason, result.Partly = Known, e.doings(result.Quirks), skips
	default:
		result.Partly = skips
	}
	return result
}

// doings says what the device does by the quirks.
func (e *env) doings(ids []string) string {
	var texts []string
	for _, q := range e.target.Quirks {
		if slices.Contains(ids, q.ID) {
			texts = append(texts, q.Does)
		}
	}
	return strings.Join(texts, "; ")
}
