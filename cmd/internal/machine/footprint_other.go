//go:build !linux

package machine

// disableHugePages does nothing: only Linux has transparent huge pages.
func disableHugePages() {}
