//go:build slow

package loop

// slowSteps is the number of steps of slow, which made the latency of READ, WRITE and SEND of 64 bytes on shm_whole 3 to 7 % longer
// on a Zen 4, in the modes that do not sleep, between two cores that share a cache.
const slowSteps = 6

var slowResult uint64 // so that the steps are taken

func slow() {
	for range slowSteps {
		slowResult = slowResult*6364136223846793005 + 1442695040888963407
	}
}
