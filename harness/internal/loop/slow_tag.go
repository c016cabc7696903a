//go:build slow

package loop

// slowSteps is the number of steps of slow. On a Zen 4, on shm_whole, they make the latency of READs of 64 bytes 5 % longer, 6 % in
// mode data and 4 % in poll, and that of WRITEs and SENDs between two cores that share a cache 3 to 17 %.
const slowSteps = 6

var slowResult uint64 // so that the steps are taken

func slow() {
	for range slowSteps {
		slowResult = slowResult*6364136223846793005 + 1442695040888963407
	}
}
