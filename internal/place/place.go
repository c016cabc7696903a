package place

// Ordered copies src to the front of dst so that another core sees the bytes
// arrive in ascending address order. It panics if dst is shorter than src. The
// two must not overlap.
//
// On amd64 (InOrder is true) every store is naturally aligned, the stores go
// from the lowest address to the highest without overlap, and x86-TSO makes
// them visible in that order. One store is the unit: 1 to 16 bytes, which are
// never torn, but 32 bytes for the first 96 of an aligned 128-byte block that
// the message covers whole, and those 32 a CPU may show as two halves in either
// order. The last 32 bytes of such a block are two stores of 16, and a message
// ends in stores of at most 16. So whoever sees the last byte of the message,
// or the last byte that the message has in an aligned 128-byte block, sees
// everything before it.
//
// Elsewhere Ordered is copy and promises nothing.
func Ordered(dst, src []byte) {
	n := len(src)
	if n == 8 && Word(dst, src) {
		return
	}
	if n == 0 {
		return
	}
	_ = dst[n-1]
	ordered(&dst[0], &src[0], n)
}
