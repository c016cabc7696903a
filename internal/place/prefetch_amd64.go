package place

// PrefetchWrite fetches the cache line of an address, to be written. It is harmless at any
// address, and does nothing on CPUs that cannot do it.
func PrefetchWrite(address uintptr)
