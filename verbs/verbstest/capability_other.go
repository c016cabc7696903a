//go:build !linux

package verbstest

// hasNetRaw reports whether the thread has CAP_NET_RAW. Here it skips the statement: only Linux
// has that capability.
func (e *env) hasNetRaw() bool {
	e.Helper()
	e.Skip("CAP_NET_RAW is of Linux")
	return false
}

// withoutNetRaw skips the statement.
func (e *env) withoutNetRaw(func() error) error {
	e.Helper()
	e.Skip("CAP_NET_RAW is of Linux")
	return nil
}
