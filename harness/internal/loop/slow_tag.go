//go:build slow

package loop

// slowSteps is the number of steps of slow, which take about 25 ns: 5 % of the latency of a WRITE of 64 bytes on shm_whole
// between two cores that share no cache.
const slowSteps = 25

var slowResult uint64 // so that the steps are taken

func slow() {
	for range slowSteps {
		slowResult = slowResult*6364136223846793005 + 1442695040888963407
	}
}
