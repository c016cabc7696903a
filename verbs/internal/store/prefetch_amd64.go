package store

// PrefetchWrite prefetches the cache line of an address for writing. Any address is harmless. On
// CPUs without PREFETCHW it has no effect.
func PrefetchWrite(address uintptr)
