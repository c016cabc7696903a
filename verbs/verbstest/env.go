package verbstest

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// env is the environment of a statement: its test, the device, the quirks that it has met, and the
// failure that is expected of it.
type env struct {
	test
	id        string
	target    Target
	quirksMet map[string]bool  // quirks that the statement depends on, and whether the device showed them
	leftOut   *[]string        // parts of the statement that are skipped, each with its reason
	expected  *expectedFailure // nil: the statement must hold
	closed    map[io.Closer]bool
	peers     *atomic.Int32 // peer processes
}

func newEnv(t test, target Target, s statement) *env {
	return &env{t, s.id, target, map[string]bool{}, new([]string), expectedFailureOf(target, s.id), map[io.Closer]bool{}, new(atomic.Int32)}
}

// sub runs one case of the statement as a subtest.
func (e *env) sub(name string, f func(e *env)) {
	e.Helper()
	e.run(name, func(t test) {
		c := *e
		c.test = t
		f(&c)
	})
}

// own returns an object after it has made e the owner. An error ends the test.
func own[T io.Closer](e *env, object T, err error) T {
	e.Helper()
	e.ok(err)
	e.Own(object)
	return object
}

// Own checks how an object prints, and closes it at the end of the test unless the statement has
// closed it.
func (e *env) Own(object io.Closer) {
	e.Helper()
	e.prints(object)
	e.Cleanup(func() {
		if !e.closed[object] {
			e.close(object)
		}
		e.prints(object)
	})
}

// close closes an object, once.
func (e *env) close(object io.Closer) {
	e.Helper()
	e.closed[object] = true
	e.ok(object.Close())
}

func (e *env) ok(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// refused checks that a call failed with one of the errnos in want.
func (e *env) refused(what string, err error, want ...syscall.Errno) {
	e.Helper()
	for _, errno := range want {
		if errors.Is(err, errno) {
			return
		}
	}
	e.Errorf("%s: error %v, want %v", what, err, want)
}

func (e *env) open() verbs.Context {
	e.Helper()
	ctx, err := e.target.Device.Open()
	return own(e, ctx, err)
}

func (e *env) device(ctx verbs.Context) verbs.DeviceAttr {
	e.Helper()
	attr, err := ctx.QueryDevice()
	e.ok(err)
	return attr
}

func (e *env) port(ctx verbs.Context) verbs.PortAttr {
	e.Helper()
	attr, err := ctx.QueryPort(e.target.Port)
	e.ok(err)
	return attr
}

func (e *env) gid(ctx verbs.Context) verbs.GID {
	e.Helper()
	entry, err := ctx.QueryGID(e.target.Port, e.target.GIDIndex)
	e.ok(err)
	return entry.GID
}

func (e *env) pd(ctx verbs.Context) verbs.PD {
	e.Helper()
	pd, err := ctx.AllocPD()
	return own(e, pd, err)
}

func (e *env) buffer(size int) *verbs.Buffer {
	e.Helper()
	buf, err := verbs.NewBuffer(size)
	return own(e, buf, err)
}

func (e *env) register(pd verbs.PD, mem []byte, access verbs.Access) verbs.MR {
	e.Helper()
	mr, err := pd.RegMR(mem, access)
	return own(e, mr, err)
}

// touched reports whether a byte is not zero.
func touched(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return true
		}
	}
	return false
}

func (e *env) holds(mem []byte, want string) {
	e.Helper()
	if string(mem) != want {
		e.Errorf("memory holds %q, want %q", mem, want)
	}
}
