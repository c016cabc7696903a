//go:build slow

package loop

// slowSteps is the number of steps of slow, which took 29 ns on a Zen 5: 4 % of the latency of a WRITE or SEND of 64 bytes on
// shm_whole in mode poll, and 8 to 9 % in mode data, between two cores that share no cache.
const slowSteps = 25

var slowResult uint64 // so that the steps are taken

func slow() {
	for range slowSteps {
		slowResult = slowResult*6364136223846793005 + 1442695040888963407
	}
}
