//go:build !linux

package memfd

import "errors"

var errLinux = errors.New("memory to register, and the embedded device, need Linux: a memfd (memfd_create(2)), which devices and other processes can map")

// File is memory of Linux.
type File struct{}

// New fails.
func New(string, int) (*File, error) { return nil, errLinux }

// NewReadOnlyForOthers fails.
func NewReadOnlyForOthers(string, int) (*File, error) { return nil, errLinux }

// NewHuge fails.
func NewHuge(string, int) (*File, error) { return nil, errLinux }

// FD is no descriptor.
func (f *File) FD() int { return -1 }

// Bytes returns nothing.
func (f *File) Bytes() []byte { return nil }

// Renew fails.
func (f *File) Renew(string) error { return errLinux }

// Addr is 0.
func (f *File) Addr() uint64 { return 0 }

// Bind fails.
func (f *File) Bind(int) error { return errLinux }

// Close does nothing.
func (f *File) Close() error { return nil }

// CloseFD does nothing.
func (f *File) CloseFD() error { return nil }

// Unmap does nothing.
func (f *File) Unmap() error { return nil }

// Release does nothing.
func (f *File) Release() error { return nil }

// Hold finds no file.
func Hold([]byte) (*File, int) { return nil, 0 }
