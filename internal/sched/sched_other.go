//go:build !linux

package sched

import (
	"errors"
	"math/bits"
	"runtime"
	"time"
)

var errLinux = errors.New("threads are kept on CPUs on Linux only")

// CPUs is a set of CPUs.
type CPUs [16]uint64

// Set adds a CPU.
func (s *CPUs) Set(cpu int) { s[cpu/64] |= 1 << (cpu % 64) }

// IsSet reports whether a CPU is in the set.
func (s *CPUs) IsSet(cpu int) bool { return cpu/64 < len(s) && s[cpu/64]>>(cpu%64)&1 != 0 }

// Count returns how many CPUs are in the set.
func (s *CPUs) Count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Affinity fails.
func Affinity(int) (set CPUs, err error) { return set, errLinux }

// SetAffinity fails.
func SetAffinity(int, CPUs) error { return errLinux }

// Yield lets another goroutine run.
func Yield() { runtime.Gosched() }

// Sleep lets the calling goroutine sleep for some nanoseconds.
func Sleep(ns int64) { time.Sleep(time.Duration(ns)) }

// ThreadID is 0.
func ThreadID() int { return 0 }

// Switches counts nothing.
func Switches() (lost, waits int64) { return 0, 0 }
