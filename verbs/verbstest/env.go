package verbstest

import (
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ibperf/ibperf/verbs"
)

const (
	// patience bounds every wait for something that has to happen. Emulated
	// machines are up to fifty times slower than others.
	patience = 30 * time.Second
	// quiet is how long a statement watches that something does not happen.
	quiet = 50 * time.Millisecond
)

// env is what a statement works with: the test, the device, which of the device's
// quirks have been looked at, and what excuses its failures.
type env struct {
	test
	id     string
	target Target
	met    map[string]bool
	excuse *excuse // nil: it is to pass
	closed map[io.Closer]bool
	peers  *atomic.Int32 // processes that were started
}

func newEnv(t test, target Target, s statement) *env {
	return &env{t, s.id, target, map[string]bool{}, excuseOf(target, s.id), map[io.Closer]bool{}, new(atomic.Int32)}
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

// own closes the object at the end, unless the statement has closed it by then.
func own[T io.Closer](e *env, object T, err error) T {
	e.Helper()
	e.ok(err)
	e.prints(object)
	e.Cleanup(func() {
		if !e.closed[object] {
			e.close(object)
		}
		e.prints(object)
	})
	return object
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

// refused checks that a call failed with one of the errnos.
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

// array returns zeroed requests outside Go's heap.
func array[T verbs.Request](e *env, n int) []T {
	e.Helper()
	a, err := verbs.Make[T](n)
	e.ok(err)
	e.Cleanup(func() { e.ok(verbs.Free(a)) })
	return a
}

// eventually waits until something holds.
func (e *env) eventually(what string, holds func() bool) {
	e.Helper()
	for end := time.Now().Add(patience); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			e.Fatalf("not after %v: %s", patience, what)
		}
	}
}

// until tells whether something comes to hold within the time.
func until(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// fill writes a pattern that differs by seed.
func fill(b []byte, seed int) {
	for i := range b {
		b[i] = byte(i*7 + i>>8 + seed)
	}
}

// touched tells whether a byte is not zero.
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
