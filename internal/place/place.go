package place

// Ordered copies src to the front of dst so that another core sees the bytes
// arrive in ascending address order. It panics if dst is shorter than src. The
// two must not overlap.
//
// On amd64 (InOrder is true) every store is naturally aligned, so none straddles a
// cache line, the stores go from the lowest address to the highest without overlap, and
// x86-TSO makes them visible in that order. One store is the unit: 1 to 16 bytes, which
// are never torn, and 32 or 64 where nobody looks for the end of anything:
//
//   - with AVX, 32 for the first 96 bytes of an aligned 128-byte block that the
//     message covers whole. A CPU may show them as two halves in either order;
//   - with AVX-512, 64 for both lines of such a block, but of the last one, in messages
//     of less than 256 KiB. See the package documentation for what that relies on.
//
// All else is stored by at most 16 bytes, so the last 32 of such a block by two stores,
// and the end of a message. So whoever sees the last byte of the message, or the last
// byte that the message has in an aligned 128-byte block, sees everything before it.
//
// Elsewhere Ordered is copy and promises nothing.
func Ordered(dst, src []byte) {
	n := len(src)
	if n == 0 {
		return
	}
	_ = dst[n-1]
	OrderedAt(&dst[0], &src[0], n)
}
