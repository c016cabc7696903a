package verbstest

import (
	"slices"
	"strings"

	"github.com/ibperf/ibperf/verbs"
)

// Quirk is something that a family of devices does in its own way.
type Quirk struct {
	Does       string   // instead of what the statements say
	Statements []string // ids of those that expect it
}

// Quirks are the quirks of a device by their ids.
type Quirks map[string]Quirk

// QuirksOf returns the known quirks of the device's family, nil for a device
// that is to do everything as the statements say.
func QuirksOf(device verbs.Device) Quirks {
	if strings.Contains(device.Software(), "rxe") {
		return rxeQuirks
	}
	return nil
}

// quirk tells whether the device has the quirk and the statement meets it.
func (e *env) quirk(id string) bool {
	has := slices.Contains(e.target.Quirks[id].Statements, e.id)
	if has {
		e.met[id] = true
	}
	return has
}

// allQuirksMet fails if a quirk names the statement, which has not looked at it.
func (e *env) allQuirksMet() {
	for id, q := range e.target.Quirks {
		if slices.Contains(q.Statements, e.id) && !e.met[id] {
			e.Errorf("quirk %s names %s, which does not depend on it", id, e.id)
		}
	}
}

// agree checks that got is what was specified, or with the quirk what the quirk makes of it.
func agree[T comparable](e *env, quirk, what string, got, specified, quirky T) {
	e.Helper()
	switch has := e.quirk(quirk); {
	case !has && got != specified:
		e.Errorf("%s: %v, want %v", what, got, specified)
	case has && got == specified:
		e.Errorf("%s: %v: quirk %s no longer reproduces: remove it", what, got, quirk)
	case has && got != quirky:
		e.Errorf("%s: %v, want %v by quirk %s", what, got, quirky, quirk)
	}
}
