// Package subprocess starts processes that the kernel kills when this process ends.
package subprocess

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starter runs functions on a thread that lives as long as the process.
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

// Start calls cmd.Start for a process that the kernel kills when this one ends for any reason (Linux
// only). The kernel does so when the thread that has started the process ends, see PR_SET_PDEATHSIG
// in prctl(2). A thread of the Go runtime may end earlier, so that one locked thread starts all
// processes.
func Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	killOnExit(cmd.SysProcAttr)
	result := make(chan error)
	starter() <- func() { result <- cmd.Start() }
	return <-result
}
