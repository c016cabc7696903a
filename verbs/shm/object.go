package shm

import (
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/ibperf/ibperf/verbs"
	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// object holds what all objects of a context have in common. An object cannot be closed while
// others use it.
type object struct {
	ctx     *context
	parents []*object // the objects that this one uses; see retain
	name    string    // follows the device's name in errors
	acks    acks      // of the object's events
	usersMu lockorder.Mutex[lockorder.Users]
	users   int         // objects that use this one; guarded by usersMu
	closed  atomic.Bool // written under usersMu; of QPs, which have no users, under qp.modify
}

func (o *object) asyncAcks() *acks { return &o.acks }

// newObject returns the common part of an object of the context that uses the parents.
func (c *context) newObject(parents ...*object) object {
	return object{ctx: c, parents: parents}
}

// retain adds n to the reference counts of the objects that this one uses.
func (o *object) retain(n int) {
	for _, parent := range o.parents {
		parent.addUsers(n)
	}
}

// addUsers adds n to the reference count. An object with users cannot be closed.
func (o *object) addUsers(n int) {
	o.usersMu.Lock()
	o.users += n
	o.usersMu.Unlock()
}

// isClosed reports whether the object or its context is closed.
func (o *object) isClosed() bool { return o.closed.Load() || o.ctx.isClosed() }

// markClosed marks the object closed, unless it is in use. It reports whether it already was.
func (o *object) markClosed(verb, inUse string) (wasClosed bool, err error) {
	o.usersMu.Lock()
	defer o.usersMu.Unlock()
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

// checkedObject returns the caller's argument as a T. ok reports whether it is an open T of this
// context.
func checkedObject[T interface{ openIn(*context) bool }](c *context, given any) (t T, ok bool) {
	t, ok = given.(T)
	return t, ok && t.openIn(c)
}

func (o *object) openIn(c *context) bool { return o.ctx == c && !o.isClosed() }

// Errnos that several verbs return.
const (
	einval    = syscall.EINVAL
	enomem    = syscall.ENOMEM
	ebadf     = syscall.EBADF // verbs.ErrClosed
	enoent    = syscall.ENOENT
	ebusy     = syscall.EBUSY
	efault    = syscall.EFAULT
	etimedout = syscall.ETIMEDOUT
)

// errnoOf returns the errno of the failed system call, or EINVAL if err has none.
func errnoOf(err error) syscall.Errno {
	errno := einval
	errors.As(err, &errno)
	return errno
}

// closedText is the detail of an error with verbs.ErrClosed.
const closedText = "it is closed, or its context is"
