package shm

import (
	"syscall"

	"github.com/ibperf/ibperf/verbs"
)

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

func (c *context) err(verb string, errno syscall.Errno, detail string) error {
	return &verbs.OpError{Verb: verb, Object: c.dev.name, Errno: errno, Detail: detail}
}

// closedText goes with verbs.ErrClosed.
const closedText = "it is closed, or its context is"
