package verbstest

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// Target is a device to hold to the statements.
type Target struct {
	Device   verbs.Device
	Port     int
	GIDIndex int // negative: the one that verbs.BestGID takes
	Quirks   []Quirk
}

// TargetOf returns the device with port 1, its best GID and its quirks: the known ones of
// its family, and those of more that apply.
func TargetOf(device verbs.Device, more ...Quirk) Target {
	return Target{Device: device, Port: 1, GIDIndex: -1, Quirks: QuirksOf(device, more...)}
}

// statement is something that holds for every device.
type statement struct {
	id   string
	says string
	run  func(*env)
}

// statements returns all of them by topic.
func statements() []statement {
	return slices.Concat(
		devStatements, portStatements, mrStatements, cqStatements, chnStatements,
		qpsStatements, qryStatements, sndStatements, rcvStatements, rmaStatements, atomicStatements, ucStatements,
		wcStatements, errStatements, dioStatements, aevStatements, misuseStatements, abiStatements,
		udStatements, mcStatements, srqStatements,
		xrcStatements,
	)
}

// Run runs every statement as a subtest of t, a [*testing.T], with the statement's id as
// its name.
func Run[R Runner[R]](t R, target Target) {
	t.Helper()
	if err := target.resolve(); err != nil {
		t.Error(err)
		t.FailNow()
	}
	suite := testOf(t)
	for _, s := range statements() {
		suite.run(s.id, func(t test) { s.in(t, target) })
	}
}

// in runs the statement in a test.
func (s statement) in(t test, target Target) {
	t.Log(s.says)
	e := newEnv(t, target, s)
	s.run(e)
	e.allQuirksMet()
}

// resolve checks that the port can be used and chooses the GID.
func (target *Target) resolve() error {
	ctx, err := target.Device.Open()
	if err != nil {
		return err
	}
	defer ctx.Close()
	port, err := ctx.QueryPort(target.Port)
	if err != nil {
		return err
	}
	if port.State != verbs.PortActive {
		return fmt.Errorf("%s port %d is %s: the suite needs an active one", target.Device.Name(), target.Port, port.State)
	}
	if target.GIDIndex >= 0 {
		return nil
	}
	best, ok := verbs.BestGID(gidTable(ctx, target.Port, port.GIDTableLen), target.Port)
	if !ok {
		return fmt.Errorf("%s port %d has no GID", target.Device.Name(), target.Port)
	}
	target.GIDIndex = best.Index
	return nil
}

// gidTable returns the entries that are set.
func gidTable(ctx verbs.Context, port, size int) (entries []verbs.GIDEntry) {
	for i := range size {
		if e, err := ctx.QueryGID(port, i); err == nil {
			entries = append(entries, e)
		}
	}
	return entries
}
