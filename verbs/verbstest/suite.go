package verbstest

import (
	"fmt"
	"slices"

	"github.com/ibperf/ibperf/verbs"
)

// Target is a device that statements run on.
type Target struct {
	Device    verbs.Device
	Port      int
	GIDIndex  int // negative: the index of verbs.BestGID
	Identity  Identity
	Quirks    []Quirk     // that apply
	Unmatched []Unmatched // of the quirks that TargetOf was given
	// Peer starts the peer process of a statement, on a device that this one reaches; nil: it
	// starts this program again, see [Child].
	Peer func() (Peer, error)

	support *support // of a resolved target
}

// statement is a sentence about verbs, with its test.
type statement struct {
	id   string
	text string
	run  func(*env)
}

// statements returns all of them by topic.
func statements() []statement {
	return slices.Concat(
		devStatements, portStatements, mrStatements, reregStatements, mwStatements, domainStatements, cqStatements, cqExStatements, chnStatements,
		qpsStatements, qryStatements, sndStatements, rcvStatements, rmaStatements, atomicStatements, ordStatements, counterStatements, ucStatements,
		wcStatements, errStatements, dioStatements, aevStatements, misuseStatements, abiStatements,
		udStatements, mcStatements, srqStatements,
		xrcStatements, srdStatements,
	)
}

// Run runs every statement as a subtest of t, a [*testing.T], with the statement's id as
// its name.
func Run[R Runner[R]](t R, target Target) {
	t.Helper()
	if err := target.Resolve(); err != nil {
		t.Error(err)
		t.FailNow()
	}
	suite := testOf(t)
	for _, s := range statements() {
		suite.run(s.id, func(t test) {
			t.Log(s.text)
			s.in(newEnv(t, target, s))
		})
	}
}

// in runs the statement.
func (s statement) in(e *env) {
	s.run(e)
	e.checkQuirks()
}

// Resolve checks that the port is usable, and chooses the GID.
func (target *Target) Resolve() error {
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
		return fmt.Errorf("port %d of device %s is %s: the suite needs an active one", target.Port, target.Device.Name(), port.State)
	}
	target.support = &support{map[verbs.QPType]bool{}}
	if target.GIDIndex >= 0 {
		return nil
	}
	best, ok := verbs.BestGID(gidTable(ctx, target.Port, port.GIDTableLen), target.Port)
	if !ok {
		return fmt.Errorf("port %d of device %s has no GID: on RoCE its network interface needs an IP address", target.Port, target.Device.Name())
	}
	target.GIDIndex = best.Index
	return nil
}

// gidTable returns the non-empty entries.
func gidTable(ctx verbs.Context, port, size int) (entries []verbs.GIDEntry) {
	for i := range size {
		if e, err := ctx.QueryGID(port, i); err == nil {
			entries = append(entries, e)
		}
	}
	return entries
}
