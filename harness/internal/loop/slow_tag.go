//go:build slow

package loop

import "strconv"

// slowSteps is the number of steps of slow, which the linker sets:
// -X github.com/ibperf/ibperf/harness/internal/loop.slowSteps=10.
var slowSteps string

var (
	slowCount = func() int {
		n, err := strconv.Atoi(slowSteps)
		if err != nil {
			panic("the tag slow needs the number of steps, loop.slowSteps: " + err.Error())
		}
		return n
	}()
	zero int // which the compiler does not know
)

// slow finds the primed request by additions that wait for each other. A post that needs it takes a cycle of the CPU longer for
// each of them.
func (o *sender) slow() {
	n := zero
	for range slowCount {
		n += n
	}
	o.primed = &o.sends[o.slot+n]
}
