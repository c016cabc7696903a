package shm_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/ibperf/ibperf/verbs"
	_ "github.com/ibperf/ibperf/verbs/shm"
	"github.com/ibperf/ibperf/verbs/verbstest/fixture"
)

// The embedded devices, and the listed ones among them.
var (
	devices = []string{"shm_whole", "shm_block128", "shm_unordered", "shm_liar"}
	listed  = devices[:3]
)

const (
	allRights = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	pageSize  = 4096
)

type (
	send = fixture.Send
	recv = fixture.Recv
)

// config is the configuration of a side and the name of its device.
type config struct {
	fixture.Config
	device string
}

// conf returns a configuration with short timeouts: the peer answers within microseconds.
func conf() config {
	c := fixture.Default()
	c.Extended = true
	c.CQE, c.Access, c.QPAccess = 256, allRights, allRights
	c.Cap.MaxSendWR, c.Cap.MaxRecvWR = 64, 64
	c.RNRTimer, c.Timeout, c.RetryCnt, c.RNRRetry, c.RdAtomic, c.DestRdAtomic = 1, 8, 1, 1, 16, 16
	return config{c, "shm_whole"}
}

// side is one end of a connection with all its objects.
type side struct {
	fixture.Side
	device string
}

// newSide opens its own context and creates a QP in RESET.
func newSide(t testing.TB, c config) *side {
	t.Helper()
	return newSideOn(t, openDevice(t, c.device), c)
}

func openDevice(t testing.TB, name string) verbs.Context {
	t.Helper()
	return fixture.Open(t, must(verbs.Lookup(name))(t))
}

// newSideOn creates a side in an open context.
func newSideOn(t testing.TB, ctx verbs.Context, c config) *side {
	t.Helper()
	return &side{*fixture.New(t, ctx, c.Config), c.device}
}

func (s *side) config() config { return config{s.Config, s.device} }

// pair returns two connected sides in RTS, each with its own context.
func pair(t testing.TB, c config) (a, b *side) {
	t.Helper()
	a, b = newSide(t, c), newSide(t, c)
	fixture.Connect(a, b)
	return a, b
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		fixture.OK(t, err)
		return v
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	fixture.OK(t, err)
}

func wantErrno(t testing.TB, err error, want syscall.Errno) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}
