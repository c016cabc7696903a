//go:build !linux

package verbstest

// hasNetRaw skips: CAP_NET_RAW is a capability of Linux.
func (e *env) hasNetRaw() bool {
	e.Helper()
	e.Skip("CAP_NET_RAW is of Linux")
	return false
}

// withoutNetRaw skips.
func (e *env) withoutNetRaw(func() error) error {
	e.Helper()
	e.Skip("CAP_NET_RAW is of Linux")
	return nil
}
