//go:build !amd64

package clock

const hasTSC = false

// rdtsc is not called where hasTSC is false.
func rdtsc() uint64 { return 0 }
