package setup

import (
	"errors"
	"fmt"
)

// DeviceError is the error of a device or port that cannot be used.
type DeviceError struct {
	Err error
}

func (e *DeviceError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DeviceError) Unwrap() error { return e.Err }

// mismatch is why the two sides cannot connect: their ports cannot reach each other, or a device has no
// rdma_cm. Each side finds it by itself, so it takes precedence over what the peer reports.
type mismatch string

func (m mismatch) Error() string { return string(m) }

// Mismatchf returns the error of ports that cannot reach each other.
func Mismatchf(format string, args ...any) error {
	return &DeviceError{mismatch(fmt.Sprintf(format, args...))}
}

// IsMismatch reports whether an error is that of ports that cannot reach each other.
func IsMismatch(err error) bool {
	var m mismatch
	return errors.As(err, &m)
}
