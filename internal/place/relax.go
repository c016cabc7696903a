package place

import "sync/atomic"

// A Relaxation is what a loop does between two looks at memory that another CPU is about
// to write. A loop that does nothing has many loads of the line under way when the write
// comes, which all have to be done again, and asks for the line while the writer wants it.
type Relaxation uint32

const (
	RelaxNone      Relaxation = iota // nothing
	RelaxPause                       // one PAUSE, which takes from 10 to 140 cycles
	RelaxIncrement                   // one increment of a word on the stack, which takes some 5

	Relaxations = iota // how many there are
)

func (r Relaxation) String() string {
	return [Relaxations]string{"none", "pause", "increment"}[r]
}

// relaxation is what Relax does.
var relaxation uint32

// SetRelaxation decides what Relax does from now on, in the whole process.
func SetRelaxation(r Relaxation) { atomic.StoreUint32(&relaxation, uint32(r)) }
