package shm

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

// object is what the objects of a context have in common. One that others are made of cannot be
// closed before them.
type object struct {
	ctx    *context
	of     []*object // that it is made of; see retain
	name   string    // that errors tell behind the device's
	acks   acks      // of its events
	using  sync.Mutex
	users  int         // that are made of it; guarded by using
	closed atomic.Bool // written under using; of QPs, which have no users, see qp.modify
}

func (o *object) asyncAcks() *acks { return &o.acks }

// newObject returns what objects have in common, for one of the context that is made of the others.
func (c *context) newObject(of ...*object) object { return object{ctx: c, of: of} }

// retain adds n to the counts of users of the objects that this one is made of.
func (o *object) retain(n int) {
	for _, of := range o.of {
		of.addUsers(n)
	}
}

// addUsers adds n to the count of users. An object that has some cannot be closed.
func (o *object) addUsers(n int) {
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

// own returns the object that a caller has given. ok says that it is a T of the context, and open.
func own[T interface{ openIn(*context) bool }](c *context, given any) (t T, ok bool) {
	t, ok = given.(T)
	return t, ok && t.openIn(c)
}

func (o *object) openIn(c *context) bool { return o.ctx == c && !o.isClosed() }

// The errnos that several verbs return.
const (
	einval    = syscall.EINVAL
	enomem    = syscall.ENOMEM
	ebadf     = syscall.EBADF // verbs.ErrClosed
	enoent    = syscall.ENOENT
	ebusy     = syscall.EBUSY
	efault    = syscall.EFAULT
	etimedout = syscall.ETIMEDOUT
)

// errnoOf returns the errno of the system call that failed, EINVAL if it has none.
func errnoOf(err error) syscall.Errno {
	errno := einval
	errors.As(err, &errno)
	return errno
}

// closedText goes with verbs.ErrClosed.
const closedText = "it is closed, or its context is"
