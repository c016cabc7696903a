//go:build !linux

package oob

var transientOnLinux []error
