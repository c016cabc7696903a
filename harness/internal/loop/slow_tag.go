//go:build slow

package loop

// slowSteps is the number of steps that each message of a ping-pong takes in addition: about 5 % of a WRITE or SEND of 64
// bytes on shm_whole.
const slowSteps = 24

// slowed returns a function that does the same and takes longer.
func slowed(load func(*sender, uint64)) func(*sender, uint64) {
	x := uint64(1)
	return func(o *sender, k uint64) {
		load(o, k)
		for range slowSteps {
			x = x*6364136223846793005 + 1442695040888963407
		}
		slowResult = x
	}
}

var slowResult uint64 // so that the steps are taken
