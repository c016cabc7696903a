package message

import "sync/atomic"

// CreditBytes is the size of a credit: the number of messages that the receiver has consumed,
// and a check of that number.
const CreditBytes = 2 * wordSize

// WriteCredit writes a credit of n messages into b, which has CreditBytes and begins at a multiple
// of 8 bytes.
func WriteCredit(b []byte, n uint64) {
	w := creditWords(b)
	w[0], w[1] = n, creditCheck(n)
}

// ReadCredit returns the number of messages of the credit in b, or 0 if number and check
// disagree. They disagree while a credit is being written, in any order of its bytes, so credits
// need no promise about the order of bytes.
func ReadCredit(b []byte) uint64 {
	w := creditWords(b)
	n, check := atomic.LoadUint64(&w[0]), atomic.LoadUint64(&w[1])
	if check != creditCheck(n) {
		return 0
	}
	return n
}

// creditCheck spreads each byte of n over all bytes of the check. A mixture of the bytes of two
// credits passes the check with a probability of about one in a billion; a mixture of a number
// and its complement would pass often.
func creditCheck(n uint64) uint64 {
	n = (n ^ n>>32 ^ 0xa5a5a5a5) * 0x9e3779b97f4a7c15
	return n ^ n>>29
}
