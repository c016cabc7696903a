//go:build !slow

package loop

// slowed returns the function that prepares messages, as it is. With the build tag slow a ping-pong takes longer, which
// ib_compare --against has to find.
func slowed(load func(*sender, uint64)) func(*sender, uint64) { return load }
