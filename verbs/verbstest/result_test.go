package verbstest

import (
	"slices"
	"testing"

	"github.com/ibperf/ibperf/verbs"
)

// card is a device of hardware, of which nothing else is asked.
type card struct{ verbs.Device }

func (card) Software() string { return "" }

func TestResult(t *testing.T) {
	known := []Quirk{{ID: "V1", Does: "that", Statements: []string{"X-1"}}, {ID: "V2", Does: "this", Fails: []string{"X-2"}}}
	for name, c := range map[string]struct {
		id   string
		run  func(e *env)
		want Result
	}{
		"holds":   {"X-3", func(e *env) { e.Log("a") }, Result{Outcome: Holds}},
		"differs": {"X-3", func(e *env) { e.Error("a"); e.Fatal("b") }, Result{Outcome: Differs, Reason: "a; b"}},
		"skipped": {"X-3", func(e *env) { e.Skip("no XRC") }, Result{Outcome: Skipped, Reason: "no XRC"}},
		"all cases skipped": {"X-3", func(e *env) {
			e.sub("one", func(e *env) { e.sub("in it", func(e *env) { e.Skip("a") }) })
			e.sub("two", func(e *env) { e.Skip("b") })
		}, Result{Outcome: Skipped, Reason: "one: in it: a; two: b"}},
		"a case skipped": {"X-3", func(e *env) {
			e.sub("one", func(*env) {})
			e.sub("two", func(e *env) { e.Skip("b") })
		}, Result{Outcome: Holds, Partly: []string{"two: b"}}},
		"quirk":             {"X-1", func(e *env) { e.hasQuirk("V1") }, Result{Outcome: Known, Reason: "that", Quirks: []string{"V1"}}},
		"quirk not met":     {"X-1", func(*env) {}, Result{Outcome: Differs, Reason: "quirk V1 names X-1, which does not depend on it: list it under fails if it fails"}},
		"fails by a quirk":  {"X-2", func(e *env) { e.Fatal("a") }, Result{Outcome: Known, Reason: "this", Quirks: []string{"V2"}}},
		"passes by a quirk": {"X-2", func(*env) {}, Result{Outcome: Differs, Reason: "X-2 passes: quirk V2 no longer reproduces: remove it"}},
		"as hardware may":   {"CQ-7", func(e *env) { e.Fatal("a") }, Result{Outcome: Allowed, Reason: allowances["CQ-7"].does}},
		"hardware holds":    {"CQ-7", func(*env) {}, Result{Outcome: Holds}},
	} {
		target := Target{Device: card{}, Quirks: known}
		got := resultOf(target, statement{id: c.id, run: c.run})
		if got.Outcome != c.want.Outcome || got.Reason != c.want.Reason ||
			!slices.Equal(got.Quirks, c.want.Quirks) || !slices.Equal(got.Partly, c.want.Partly) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := resultOf(Target{Device: software{}}, statement{id: "CQ-7", run: func(e *env) { e.Fatal("a") }}); got.Outcome != Differs {
		t.Errorf("software that does what hardware may: %+v", got)
	}
}

// software is a device without hardware.
type software struct{ verbs.Device }

func (software) Software() string { return "a test" }
