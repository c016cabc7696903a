package store

import (
	"math/bits"

	"github.com/ibperf/ibperf/internal/sched"
)

const (
	// block is the size of the aligned blocks that ibv_query_qp_data_in_order refers to.
	block = 128

	// One message in gapEvery gets a gap of gapTicks after its last byte may have become visible:
	// 400 ns at 2.5 GHz, 50 ns for the average message.
	gapEvery = 8
	gapTicks = 1000

	// One gap in yieldEvery yields the CPU instead: on a busy machine writer and reader may share
	// one, and the reader then runs only while the writer does not.
	yieldEvery = 8
	yieldGap   = ^uint64(0)
)

// Shuffler stores messages in a pseudo-random order, like a device or a fabric that does not
// promise whole-message order. The order follows from the seed and from the messages stored before.
// A Shuffler does not allocate and is not safe for concurrent use.
//
// The wrong order is real, but a reader rarely observes it by itself: the stores of a short message
// become visible within a few ns of each other, while the reader takes 50 ns or more to fetch the
// line it spins on, and by then the rest has arrived. One message in eight therefore has a gap
// after the block that holds its last byte, like a gap between two packets on different paths.
// Bytes puts the gap in the middle of that block, or of the first block, on which a reader that
// waits for block after block spins. Measured between two cores of a Zen 3, with 20,000 messages of
// 129 to 257 bytes and Blocks: without a gap 0 to 7 messages were seen out of order; with a gap of
// 50 ns about 800, with 200 ns 2,100. On a machine busy with other work 200 ns gave as few as 4,
// and 400 ns still 1,900.
type Shuffler struct {
	state   uint64
	between func() // for tests: called between the stores of a message if not nil
}

// NewShuffler returns a Shuffler that starts from seed.
func NewShuffler(seed uint64) Shuffler {
	return Shuffler{state: seed}
}

// Of returns the n-th Shuffler derived from the present state of s. The orders of derived Shufflers
// are independent.
func (s Shuffler) Of(n uint64) Shuffler {
	s.state ^= (n + 1) * 0xd1342543de82ef95
	s.state = s.next()
	return s
}

// Piece is a part of a message: Src is its source, the front of Dst its destination, and Base the
// address of Dst[0] in the reader. Dst and Src must not overlap.
type Piece struct {
	Dst, Src []byte
	Base     uint64
}

// Blocks copies Src to Dst of all pieces of a message, block by block, in a pseudo-random order of
// the aligned 128-byte blocks (by the reader's addresses) that the message touches. The message's
// bytes in one block are stored in the message's order and by Ordered, even if they belong to
// several pieces. It panics if a Dst is shorter than its Src.
func (s *Shuffler) Blocks(message []Piece) {
	s.shuffle(message, false)
}

// Bytes is Blocks with the bytes of each block in a pseudo-random order too, each by its own store.
func (s *Shuffler) Bytes(message []Piece) {
	s.shuffle(message, true)
}

// shuffle stores the blocks of all pieces of a message in a new order.
func (s *Shuffler) shuffle(message []Piece, bytes bool) {
	n := 0
	for i := range message {
		n += message[i].blocks()
	}
	if n == 0 {
		return
	}
	if n == 1 && !bytes {
		p, k := find(message, 0)
		Ordered(message[p].block(k))
		return
	}
	gap, at := s.gap(), n-1
	if bytes && gap != 0 && s.Below(2) == 0 {
		at = 0
	}
	i, step := s.order(n)
	for range n {
		wait := uint64(0)
		if i == at {
			wait = gap
		}
		p, k := 0, i
		if len(message) > 1 {
			p, k = find(message, i)
		}
		dst, src := message[p].block(k)
		switch {
		case bytes:
			s.scatter(dst, src, wait)
		case len(message) > 1:
			storeBlock(message, p, k)
			s.pause(wait)
		default:
			Ordered(dst, src)
			s.pause(wait)
		}
		i += step
		if i >= n {
			i -= n
		}
	}
}

// blocks returns the number of aligned blocks that the piece touches.
func (p *Piece) blocks() int {
	n := len(p.Src)
	if n == 0 {
		return 0
	}
	_ = p.Dst[n-1]
	return (int(p.Base%block) + n + block - 1) / block
}

// block returns the piece's part of the k-th block that it touches.
func (p *Piece) block(k int) (dst, src []byte) {
	lead := int(p.Base % block)
	lo, hi := max(k*block-lead, 0), min((k+1)*block-lead, len(p.Src))
	return p.Dst[lo:hi], p.Src[lo:hi]
}

// within returns the piece's part of the block at an address of the reader.
func (p *Piece) within(addr uint64) (dst, src []byte) {
	n := uint64(len(p.Src))
	lo, hi := addr-p.Base, uint64(0)
	switch before := p.Base - addr; {
	case before < block: // the block begins before the piece or with it
		lo, hi = 0, min(block-before, n)
	case lo < n:
		hi = min(lo+block, n)
	default:
		lo = 0
	}
	return p.Dst[lo:hi], p.Src[lo:hi]
}

// find returns the piece that contains the message's i-th block, and the index of the block within
// the piece.
func find(message []Piece, i int) (piece, k int) {
	for p := range message {
		n := message[p].blocks()
		if i < n {
			return p, i
		}
		i -= n
	}
	panic("store: block index beyond the message")
}

// storeBlock stores the message's bytes in the k-th block of piece p, unless a later piece has a
// part of the block and stores it.
func storeBlock(message []Piece, p, k int) {
	addr := message[p].Base&^(block-1) + uint64(k)*block
	for i := range message[p+1:] {
		if _, later := message[p+1+i].within(addr); len(later) > 0 {
			return
		}
	}
	for i := range message[:p+1] {
		Ordered(message[i].within(addr))
	}
}

// scatter stores the bytes of one block in a new order and waits half way.
func (s *Shuffler) scatter(dst, src []byte, wait uint64) {
	n := len(src)
	half := (n + 1) / 2
	i, step := s.order(n)
	i = scatter(&dst[0], &src[0], n, i, step, half)
	s.pause(wait)
	scatter(&dst[0], &src[0], n, i, step, n-half)
}

// gap returns the length of the gap of the next message.
func (s *Shuffler) gap() uint64 {
	if s.Below(gapEvery) != 0 {
		return 0
	}
	if s.Below(yieldEvery) == 0 {
		return yieldGap
	}
	return gapTicks
}

// pause waits for a gap, if there is one.
func (s *Shuffler) pause(gap uint64) {
	if s.between != nil {
		s.between()
	}
	switch gap {
	case 0:
	case yieldGap:
		sched.Yield()
	default:
		Pause(gap)
	}
}

// order draws a permutation of [0, n): first, first+step, first+2*step, ... modulo n. It visits
// every index, since step and n are coprime. A permutation that ends with n-1 looks ordered to a
// reader that waits for the end of the message, so the start is then drawn once more: n-1 comes
// last in one of n*n draws.
func (s *Shuffler) order(n int) (first, step int) {
	if n == 1 {
		return 0, 0
	}
	step = s.coprime(n)
	for range 2 {
		first = s.Below(n)
		if first != step-1 {
			break
		}
	}
	return first, step
}

// coprime draws a number from [1, n) that is coprime to n.
func (s *Shuffler) coprime(n int) int {
	if n&(n-1) == 0 {
		return s.Below(n) | 1
	}
	for {
		step := 1 + s.Below(n-1)
		if gcd(step, n) == 1 {
			return step
		}
	}
}

// OneIn draws, and reports whether the draw is the one in n that comes true.
func (s *Shuffler) OneIn(n int) bool { return s.Below(n) == 0 }

// Below draws from [0, n).
func (s *Shuffler) Below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// next returns the next number of splitmix64.
func (s *Shuffler) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// gcd returns the greatest common divisor.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
