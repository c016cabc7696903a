// Package shm is the embedded device: RDMA between two processes of one host
// through shared memory, for machines without RDMA hardware.
//
// Client and server are separate processes, and data moves as a NIC moves it:
// the requester's PostSend checks state, keys, bounds and access of both sides,
// copies into the peer's memory and publishes the peer's completion. The peer's
// CPU has no part in it.
//
//	requester's process                        responder's process
//	PostSend                                   PollCQ
//	   |   directory (read-only): MRs, QPs        ^
//	   +-> reads ------------------------------>  | owner writes
//	   |   receive queue: WQEs, records           |
//	   +-> takes a WQE, publishes a record -----> + owner looks at records
//	   |   buffers: memfds of verbs.Buffer        |
//	   +-> copies data -------------------------> + owner reads its memory
//	   |   directory: is the CQ armed?            |
//	   +-> if so, sends a token to its channel -> + GetEvent waits for that
//
// All memory is sealed memfds, handed over a unix socket in the abstract name
// space that the GID names, between processes of one user. Nothing of it has a
// name in a file system, so nothing is left behind, however a process ends.
// What a peer can write is read once, checked, and can fail its own connection
// only.
//
// The first request of a connection, and the first that names a region, asks the peer's
// process for its memory. Until the answer comes the request waits in the send queue, and
// those behind it: for ever if the QP's timeout is 0, otherwise for timeout times
// retry_cnt + 1, but at least 5 s, which a process may need that is stopped, starved of CPU or
// of descriptors (EMFILE). It ends with RETRY_EXC_ERR. Other QPs go on meanwhile. The moves to RTR and
// ibv_create_ah fetch the peer's directory and wait 5 s for it. A process that is gone is
// known at once, and its QPs' requests end by their timeouts.
//
// # Types of QPs
//
// RC is as above. A request that the peer refuses leaves a fault record behind
// the receives, which ends the peer's side; the requester also asks the peer over
// the socket to look, so that the QP goes to ERR and its event is raised though
// nobody polls.
//
// UC takes the same way but learns nothing: what the peer does not take is
// dropped, and the request succeeds.
//
// UD messages are packets on the same socket. A goroutine of the context that one
// comes to, which stands for the device, puts it into the next receive of the QP,
// behind a GRH. What finds no room, no QP, no receive or another Q_Key is lost, as
// on a network, and the sender is not told. A message to a multicast group goes to
// every context of this user on this host, whatever kind of embedded device it is;
// /proc/net/unix lists their sockets. Each delivers it to its QPs in the group.
//
// Atomic operations are instructions of the requester's CPU on the shared word:
// atomic with everything that either process does to it by such instructions.
//
// # The end of memory
//
// When MR.Close has returned, nothing more is stored in the region or read from it. A
// request that is under way ends where it is, within 1 MiB: with REM_ACCESS_ERR, or
// REM_OP_ERR if a receive named the memory, or LOC_PROT_ERR if the memory is the
// requester's own. Closing waits for that only. If the process of a peer has stopped
// in the middle (SIGSTOP), Close returns ETIMEDOUT after 5 s: what is left of that 1 MiB
// is stored when the process goes on.
//
// Peers unmap memory when the last region on it is closed.
//
// # Shared receive queues
//
// An SRQ is private to its process. A QP on one keeps a receive queue that its
// peer works in, but it is empty: a requester that finds no receive there asks for
// one over the socket, and a goroutine of the owner's context moves the SRQ's next
// one there, or says that the SRQ is empty, which is RNR. So receives go out in the
// order of the SRQ to whichever QP has a message; each costs the sender a wait for
// the owner's process, which RC with a receive queue of its own does not have.
//
// An XRC_RECV QP is fed in the same way from the SRQ that each request names. It
// has no PD: remote keys are checked against the PD of that SRQ. A domain belongs
// to one context: the file of ibv_open_xrcd names the same domain to all who open
// it there, and another one in other contexts and processes.
//
// # Order
//
// The devices differ in the order in which they store incoming data and in what
// they say of it (ibv_query_qp_data_in_order):
//
//	shm_whole      ascending                     promises whole messages
//	shm_block128   aligned 128-byte blocks of    promises blocks
//	               all SGEs in shuffled order
//	shm_unordered  blocks shuffled, and the      promises nothing
//	               bytes within them; WRITEs
//	               overtake each other
//	shm_liar       as shm_unordered              claims whole messages
//
// These answers are about the bytes of one request. No device promises that one WRITE is
// in place before a later one, and on shm_unordered and shm_liar one in eight is late: it
// is carried out after WRITEs that were posted behind it. So an application that writes
// data and then a flag, and spins on the flag, is found out. What is ordered stays so:
// the completion of a request or of a receive, a READ and an atomic operation each find
// the WRITEs in place that the QP was given before, and of WRITEs to the same memory the
// last one stays. A late WRITE comes when its CQ is polled, and after a millisecond or two
// by itself.
//
// What is shuffled follows from a seed, see [Options]: it is the same for the same
// requests on the same QPs, whatever their timing. A device tells its seed with what
// stands in for hardware (Software).
//
// The order is real: a reader on another core can see it. The promise rests on
// x86's store order; on other CPUs all of them promise nothing. Messages of more than
// 1 MiB are stored in pieces of that size, in ascending order, and shuffled within them.
//
// READs of the shuffling devices are carried out by a goroutine, because their
// reader is the requester itself and must be able to look meanwhile.
package shm
