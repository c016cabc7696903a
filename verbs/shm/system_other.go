//go:build !linux

package shm

import (
	"syscall"
	"time"
)

// Without Linux no device can be opened (memfd.New returns an error), so these functions are never
// called.

const pathOnly = 0

func makePipe(*[2]int) error                 { return syscall.ENOSYS }
func awaitToken(int, time.Duration)          {}
func makeEvent() (int, error)                { return 0, syscall.ENOSYS }
func signalEvent(int)                        {}
func awaitEvent(int, time.Duration)          {}
func setPreciseSleep()                       {}
func sleep(time.Duration)                    {}
func isStableMemory(int) bool                { return false }
func credentials(int) (int32, uint32, error) { return 0, 0, syscall.ENOSYS }
func hasNetRaw() bool                        { return false }
