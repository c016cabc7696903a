package shm

import (
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// object is what the objects of a context have in common. One that others are made of cannot be
// closed before them.
type object struct {
	ctx    *context
	of     []*object // that it is made of; see hold
	name   string    // that errors tell behind the device's
	async  acks      // of asynchronous events
	using  sync.Mutex
	users  int         // that are made of it; guarded by using
	closed atomic.Bool // written under using
}

func (o *object) asyncAcks() *acks { return &o.async }

func (c *context) made(of ...*object) object { return object{ctx: c, of: of} }

// hold keeps what the object is made of from being closed, and with -1 lets it go.
func (o *object) hold(n int) {
	for _, of := range o.of {
		of.use(n)
	}
}

// use counts another user, and with -1 one less.
func (o *object) use(n int) {
	o.using.Lock()
	o.users += n
	o.using.Unlock()
}

// isClosed tells whether the object or its context is closed.
func (o *object) isClosed() bool { return o.closed.Load() || o.ctx.isClosed() }

// shut closes the object, unless it is in use. It tells whether it was closed before.
func (o *object) shut(verb, inUse string) (again bool, err error) {
	o.using.Lock()
	defer o.using.Unlock()
	if o.users > 0 {
		return false, o.err(verb, ebusy, inUse)
	}
	return o.closed.Swap(true), nil
}

func (c *context) err(verb string, errno syscall.Errno, detail string) error {
	return (&object{ctx: c}).err(verb, errno, detail)
}

func (o *object) err(verb string, errno syscall.Errno, detail string) error {
	return &verbs.OpError{Verb: verb, Object: o.ctx.dev.name + o.name, Errno: errno, Detail: detail}
}

// own returns what a caller has given as the T that it has to be: of the context, and open.
func own[T interface{ openIn(*context) bool }](c *context, given any) (t T, ok bool) {
	t, ok = given.(T)
	return t, ok && t.openIn(c)
}

func (o *object) openIn(c *context) bool { return o.ctx == c && !o.isClosed() }

// The errnos that verbs return.
const (
	einval    = syscall.EINVAL
	enomem    = syscall.ENOMEM
	ebadf     = syscall.EBADF // verbs.ErrClosed
	enoent    = syscall.ENOENT
	ebusy     = syscall.EBUSY
	efault    = syscall.EFAULT
	etimedout = syscall.ETIMEDOUT
)

// closedText goes with verbs.ErrClosed.
const closedText = "it is closed, or its context is"
