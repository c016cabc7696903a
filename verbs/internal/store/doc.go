// Package store stores the bytes of a message in memory that another process
// reads, in a promised order or in a deliberately wrong one, as an RDMA device
// would.
//
// A reader that spins on memory relies on the order in which bytes become
// visible to it. Two promises matter (see ibv_query_qp_data_in_order): a reader
// that sees the last byte of a message sees all of it, and a reader that sees the
// last byte of an aligned 128-byte block sees all of that block. Ordered keeps
// both promises, Shuffler.Blocks only the second, Shuffler.Bytes neither.
//
// Ordered relies on the following, for ordinary write-back memory:
//
//   - x86-TSO: the stores of one CPU become visible to every other one in
//     program order, and loads are not reordered with each other (Intel SDM
//     vol. 3A, "Memory Ordering in P6 and More Recent Processor Families"; AMD
//     APM vol. 2, "Multiprocessor Memory Access Ordering").
//   - Naturally aligned stores of 1, 2, 4 and 8 bytes are atomic on every
//     amd64 CPU, and of 16 bytes on every one that reports AVX (SDM vol. 3A,
//     "Guaranteed Atomic Operations"; APM vol. 2, "Access Atomicity"). A store
//     of 32 bytes may be split, in either order.
//   - An aligned store of 64 bytes fills a cache line, the unit of transfer between
//     caches. The manuals promise neither that it becomes visible at once nor an order.
//     CPUs with AVX-512 write it to their cache at once, or as two halves, the
//     lower first (AMD Zen 4). Only ends of blocks within a longer message depend on
//     this, and TestEndsOfBlocksComeLast tries to disprove it; the end of a message does
//     not depend on it.
//   - Neither holds for rep movs, whose stores may become visible in any order,
//     nor for non-temporal stores. The copy builtin uses rep movs, and for
//     some lengths stores the tail before the rest, so copy promises nothing.
//
// The reader only needs plain loads in program order: the load of the byte that it
// spins on, then the rest. In Go the first load is one of sync/atomic.
package store
