package harness

import (
	"errors"

	"golang.org/x/sys/unix"
)

// errOver ends a loop that waits for a message that will not come: the peer has
// said how many there are, or the run is to halt.
var errOver = errors.New("over")

// over tells whether message k will not come any more.
func (m *measurement) over(k uint64) bool {
	return m.halt.on() || k >= m.halt.target.Load()
}

// patience is the number of fruitless looks, some tens of microseconds, after
// which a spin gives other threads of an overloaded machine a chance.
const patience = 1 << 16

// yield is called after n fruitless looks.
func yield(looks *int, n int) {
	if *looks += n; *looks >= patience {
		*looks = 0
		unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
}
