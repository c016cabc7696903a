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

// withoutNetRaw calls f in a thread that lacks CAP_NET_RAW.
func (e *env) withoutNetRaw(f func()) {
	e.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := e.capabilities()
	less, header := before, capabilityVersion
	less[0].Effective &^= 1 << unix.CAP_NET_RAW
	e.ok(unix.Capset(&header, &less[0]))
	defer func() { e.ok(unix.Capset(&header, &before[0])) }()
	f()
}
