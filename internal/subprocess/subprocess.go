// Package subprocess starts processes that end with this one.
package subprocess

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starter carries out what is sent to it in a thread that ends with the process.
var starter = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})

// Start is cmd.Start, of a process that is killed when this one ends, however it does (Linux
// only). The kernel kills it when the thread ends that has started it, see prctl(2),
// PR_SET_PDEATHSIG. A thread of Go ends with a goroutine that is locked to it, whatever else it did
// before, and so a thread of its own starts all of them.
func Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	endWithUs(cmd.SysProcAttr)
	result := make(chan error)
	starter() <- func() { result <- cmd.Start() }
	return <-result
}
