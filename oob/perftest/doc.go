// Package perftest is the other side of a run if it is perftest: its protocol, and a [Peer] that the
// engine measures with as with any other.
//
// perftest's messages have fixed sizes and no headers. In every exchange the client writes its message first, in one
// piece, and then the server. After the version, which package oob reads and writes, come:
//
//	message    bytes          contents
//	cycle      4              the page size; both sides use the larger one
//	line       4              the size of a cache line; both sides use the larger one
//	MTU        2              a digit, 1 to 5 for 256 to 4096 bytes; both sides use the smaller one
//	plan       312 or 320     from version 6.28: the options that must agree (negotiation.go)
//	keys       59 or 108      of a QP, as text, on links with LIDs or with GIDs (keys.go)
//	report     5 times 8      size, messages, peak, average and rate of a bandwidth test (report.go)
//
// The keys of QPs are exchanged again and again: perftest has no other message for "ready" and "done". conversation.go
// does the exchanges, and peer.go says which ones a test has where.
package perftest
