package harness

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// loops counts the timed loops that run in this process.
var loops struct {
	sync.Mutex
	n int
}

// spareThreads is how many threads the runtime may use beside those that spin,
// so that the control channel and the embedded device never wait for a spin.
const spareThreads = 2

// ownThread keeps the thread for this goroutine, and on a CPU if one is named.
func ownThread(cpu int) (release func()) {
	runtime.LockOSThread()
	leave := ourThreads.measureOn(cpu)
	loops.Lock()
	loops.n++
	if want := loops.n + spareThreads; runtime.GOMAXPROCS(0) < want {
		runtime.GOMAXPROCS(want)
	}
	loops.Unlock()
	return func() {
		loops.Lock()
		loops.n--
		loops.Unlock()
		leave()
		runtime.UnlockOSThread()
	}
}

// quiets counts the runs of this process that want no garbage collection.
var quiets struct {
	sync.Mutex
	n       int
	percent int
	limit   int64
}

// garbage is how much of it may gather before it is collected all the same: the loops make
// none, but what goes on beside them does, and a run may last for days.
const garbage = 4 << 20

// quiet keeps the garbage collector off, for as long as any run of the process wants it so.
func quiet() (release func()) {
	quiets.Lock()
	defer quiets.Unlock()
	if quiets.n++; quiets.n == 1 {
		runtime.GC()
		quiets.percent = debug.SetGCPercent(-1)
		quiets.limit = debug.SetMemoryLimit(-1)
	}
	bound()
	return func() {
		quiets.Lock()
		defer quiets.Unlock()
		if quiets.n--; quiets.n == 0 {
			debug.SetGCPercent(quiets.percent)
			debug.SetMemoryLimit(quiets.limit)
		}
	}
}

// bound lets garbage gather from here on, up to its limit.
func bound() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + garbage)
}
