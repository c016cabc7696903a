// Package message contains what test messages carry and how a poller of memory detects them.
//
//   - ring.go: the ring of messages in a buffer
//   - markers.go, arrival.go, duplicate.go: the markers in a message, the detection of its arrival and
//     of a second delivery
//   - pattern.go, checker.go, wrong_data.go: contents by which every byte is checked
//   - credit.go: credits
//
// Messages are numbered 0, 1, 2, ... and stored in a [Ring] of slots: message k in slot k modulo
// the number of slots. The number of slots is odd, so that the marker of a message always differs
// from that of the message that held the slot before, even when a marker is one byte wide: the two
// numbers differ by the number of slots, which is no multiple of 256. Numbers must start at 0 and
// not reach 2^64. The rings of sender and receiver must have the same size, offset and number of
// slots.
//
// Nothing here is safe for concurrent use: each side owns its ring and the objects made from it.
// Only the device may write into the ring at the same time.
package message
