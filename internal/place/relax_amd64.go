package place

// Relax does what SetRelaxation has decided, at first nothing. The call alone takes 1 to 2 ns.
func Relax()

// PrefetchWrite asks for the cache line of an address, to be written soon, and does not
// wait for it. An address at which nothing is mapped does no harm.
func PrefetchWrite(addr uint64)
