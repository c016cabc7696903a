//go:build !linux

package memfd

import "errors"

var errLinux = errors.New("registered memory and the embedded device need memfd_create(2), which only Linux has")

// File exists only on Linux.
type File struct{}

// New returns an error.
func New(string, int) (*File, error) { return nil, errLinux }

// NewReadOnlyForOthers returns an error.
func NewReadOnlyForOthers(string, int) (*File, error) { return nil, errLinux }

// NewHuge returns an error.
func NewHuge(string, int) (*File, error) { return nil, errLinux }

// Cure returns "".
func Cure(error) string { return "" }

// FD returns -1.
func (f *File) FD() int { return -1 }

// Bytes returns nil.
func (f *File) Bytes() []byte { return nil }

// Renew returns an error.
func (f *File) Renew(string) error { return errLinux }

// Discard returns an error.
func (f *File) Discard() error { return errLinux }

// Addr returns 0.
func (f *File) Addr() uint64 { return 0 }

// Bind returns an error.
func (f *File) Bind(int) error { return errLinux }

// Close does nothing.
func (f *File) Close() error { return nil }

// CloseFD does nothing.
func (f *File) CloseFD() error { return nil }

// Unmap does nothing.
func (f *File) Unmap() error { return nil }

// Release does nothing.
func (f *File) Release() error { return nil }

// Hold returns nil.
func Hold([]byte) (*File, int) { return nil, 0 }
