//go:build !race

package harness

// raceDetector tells tests that the race detector is on: it makes calls allocate.
const raceDetector = false
