//go:build linux

package verbstest

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// capabilities are those of a thread.
type capabilities [2]unix.CapUserData

var capabilityVersion = unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}

func (e *env) capabilities() (c capabilities) {
	e.Helper()
	header := capabilityVersion
	e.ok(unix.Capget(&header, &c[0]))
	return c
}

func (e *env) hasNetRaw() bool {
	e.Helper()
	return e.capabilities()[0].Effective>>unix.CAP_NET_RAW&1 != 0
}

// withoutNetRaw calls f in a thread that lacks CAP_NET_RAW. The thread ends afterwards: after
// a change of its capabilities the kernel no longer regards it as the thread that opened the
// device, which alone may post.
func (e *env) withoutNetRaw(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		var less capabilities
		header := capabilityVersion
		err := unix.Capget(&header, &less[0])
		if err == nil {
			less[0].Effective &^= 1 << unix.CAP_NET_RAW
			err = unix.Capset(&header, &less[0])
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}
