//go:build slow

package loop

// slowSteps is the number of steps of slow, which took 6 ns on a Zen 4: 8.5 % of the latency of a WRITE of 64 bytes on shm_whole in
// mode data, between two cores that share a cache, and less in other modes.
const slowSteps = 6

var slowResult uint64 // so that the steps are taken

func slow() {
	for range slowSteps {
		slowResult = slowResult*6364136223846793005 + 1442695040888963407
	}
}
