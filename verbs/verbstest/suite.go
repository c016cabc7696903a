package verbstest

import (
	"errors"
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
	// Peer starts the other process of statements that need one, on a device that this one
	// reaches; nil: this program is started again, see [Child].
	Peer func() (Peer, error)
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
		devStatements, portStatements, mrStatements, reregStatements, mwStatements, domainStatements, cqStatements, cqExStatements, chnStatements,
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
	switch err := target.Resolve(); {
	case errors.As(err, new(*NoRCError)):
		t.Skip(err)
	case err != nil:
		t.Error(err)
		t.FailNow()
	}
	suite := testOf(t)
	for _, s := range statements() {
		suite.run(s.id, func(t test) {
			t.Log(s.says)
			s.in(newEnv(t, target, s))
		})
	}
}

// in runs the statement.
func (s statement) in(e *env) {
	s.run(e)
	e.allQuirksMet()
}

// NoRCError says that a device cannot be held to the statements, since it has no RC QPs.
type NoRCError struct{ Device string }

func (e *NoRCError) Error() string {
	return fmt.Sprintf("device %s is skipped: it offers no RC QPs, which the suite connects", e.Device)
}

// Resolve checks that the port can be used and that the device has RC QPs, else it is a
// [*NoRCError], and chooses the GID.
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
	if err := offersRC(ctx); err != nil {
		return err
	}
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

// offersRC makes an RC QP.
func offersRC(ctx verbs.Context) error {
	pd, err := ctx.AllocPD()
	if err != nil {
		return err
	}
	defer pd.Close()
	cq, err := ctx.CreateCQ(1, nil, 0)
	if err != nil {
		return err
	}
	defer cq.Close()
	qp, err := pd.CreateQP(&verbs.QPInitAttr{
		SendCQ: cq, RecvCQ: cq, Type: verbs.QPTypeRC, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	if errors.Is(err, verbs.ErrNotSupported) {
		return &NoRCError{ctx.Device().Name()}
	}
	if err != nil {
		return err
	}
	return qp.Close()
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
