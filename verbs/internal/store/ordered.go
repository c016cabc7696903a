package store

// Ordered copies src to the front of dst so that another core sees the bytes
// arrive in ascending address order. It panics if dst is shorter than src. The
// two must not overlap.
//
// On amd64 (InOrder is true) every store is naturally aligned, so none straddles a
// cache line, the stores go from the lowest address to the highest without overlap, and
// x86-TSO makes them visible in that order. A store has 1 to 16 bytes, which are never
// torn, or 32 or 64 bytes where no reader infers anything from its bytes:
//
//   - with AVX, 32 for the first 96 bytes of an aligned 128-byte block that the
//     message covers whole. A CPU may show them as two halves in either order;
//   - with AVX-512, 64 for both lines of such a block, except the last block, in messages
//     of less than 256 KiB. The package documentation has the assumptions.
//
// All other stores have at most 16 bytes, including the two for the last 32 bytes of such
// a block and those for the end of a message. A reader that sees the last byte of the
// message, or its last byte in an aligned 128-byte block, therefore sees all bytes before it.
//
// On other CPUs Ordered is copy and promises nothing.
func Ordered(dst, src []byte) {
	n := len(src)
	if n == 0 {
		return
	}
	_ = dst[n-1]
	OrderedAt(&dst[0], &src[0], n)
}
