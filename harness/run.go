package harness

import (
	"context"

	"github.com/ibperf/ibperf/reports"
	"github.com/ibperf/ibperf/verbs"
)

// Role tells the sides apart: the client sends first in latency tests, and is
// the sender or reader of bandwidth tests.
type Role string

// The roles.
const (
	Client Role = "client"
	Server Role = "server"
)

// Config is one side of a run.
type Config struct {
	Plan      Plan
	Role      Role
	Context   verbs.Context // opened device, used by this run alone
	Port      int           // device port, from 1
	GIDIndex  int           // -1: chosen by the harness
	Exchanger Exchanger

	// File is filled by the run: Parameters, Local.Device, Local.Order, Peer,
	// Warnings, Interrupted, Rows. The caller fills the rest before.
	File *reports.File
	// Begin is called once, when all of File but Rows is known.
	Begin func()
	// Row is called for each row, after it was added to File.Rows.
	Row func(reports.Row)
}

// Run runs one side of the plan. When ctx ends, the run stops within a fraction
// of a second with File.Interrupted set and returns ErrInterrupted; what was
// measured until then is in File. Errors are of the types in errors.go, or an
// error of the Exchanger when the peer was lost.
func Run(ctx context.Context, c Config) error {
	return nil
}
