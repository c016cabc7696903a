// Package place puts the bytes of a message into memory that another process
// reads, in a promised or in a deliberately wrong order, as an RDMA device
// would.
//
// A reader that spins on memory relies on the order in which bytes become
// visible to it. Two promises matter (see ibv_query_qp_data_in_order): whoever
// sees the last byte of a message sees all of it, and whoever sees the last
// byte of an aligned 128-byte block sees all of that block. Ordered keeps
// both, Shuffler.Blocks only the second, Shuffler.Bytes neither.
//
// What Ordered relies on, for ordinary write-back memory:
//
//   - x86-TSO: the stores of one CPU become visible to every other one in
//     program order, and loads are not reordered with each other (Intel SDM
//     vol. 3A, "Memory Ordering in P6 and More Recent Processor Families"; AMD
//     APM vol. 2, "Multiprocessor Memory Access Ordering").
//   - Naturally aligned stores of 1, 2, 4 and 8 bytes are atomic on every
//     amd64 CPU, and of 16 bytes on every one that reports AVX (SDM vol. 3A,
//     "Guaranteed Atomic Operations"; APM vol. 2, "Access Atomicity"). A store
//     of 32 bytes may be split, and nothing says which half goes first.
//   - An aligned store of 64 bytes fills a cache line, by which caches hand memory to
//     each other. The manuals do not promise that it is seen at once, nor in what order.
//     CPUs that have it (AVX-512) write it to their cache at once, or as two halves, the
//     lower first (AMD Zen 4). Only ends of blocks within a longer message rely on that,
//     and TestEndsOfBlocksComeLast looks for the contrary; the end of a message does not.
//   - Neither holds for rep movs, whose stores may become visible in any order,
//     nor for non-temporal stores. The copy builtin uses the first, and for
//     some lengths stores the tail before the rest, so copy promises nothing.
//
// The reader needs no more than plain loads in program order: the load of the
// byte it spins on, then the rest. In Go that first load is one of sync/atomic.
package place
