//go:build !linux

package harness

// batchMonitor does nothing: the runtime's monitor stays as it is.
func (t *threads) batchMonitor(int) {}
