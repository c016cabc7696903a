//go:build !linux

package sched

import (
	"errors"
	"math/bits"
	"runtime"
	"time"
)

var errLinux = errors.New("CPU affinity is supported on Linux only")

// CPUs is a set of CPUs.
type CPUs [16]uint64

// Set adds a CPU.
func (s *CPUs) Set(cpu int) { s[cpu/64] |= 1 << (cpu % 64) }

// Clear removes a CPU.
func (s *CPUs) Clear(cpu int) { s[cpu/64] &^= 1 << (cpu % 64) }

// IsSet reports whether a CPU is in the set.
func (s *CPUs) IsSet(cpu int) bool { return cpu/64 < len(s) && s[cpu/64]>>(cpu%64)&1 != 0 }

// Count returns the number of CPUs in the set.
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

// SetBatch fails.
func SetBatch(int) error { return errLinux }

// Yield lets another goroutine run.
func Yield() { runtime.Gosched() }

// Sleep suspends the calling goroutine for a number of nanoseconds.
func Sleep(ns int64) { time.Sleep(time.Duration(ns)) }

// ThreadID returns 0.
func ThreadID() int { return 0 }

// Switches returns 0.
func Switches() (lost, waits int64) { return 0, 0 }
