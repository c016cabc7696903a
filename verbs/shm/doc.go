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
//	   +-> if so, writes a token to its pipe ---> + GetEvent waits for that
//
// All memory is sealed memfds of the process that owns it. A peer opens them through
// /proc/PID/fd; the GID names the descriptor of the directory, which names all others. The
// owner does nothing for that: it may be busy, stopped or short of descriptors. Nothing has a
// name in a file system, so nothing is left behind, however a process ends.
// What a peer can write is read once, checked, and can fail its own connection
// only. The processes must be of one user, in one network and PID namespace, and neither may
// have capabilities that the other lacks.
//
// A process that lacks descriptors (it takes two for a moment) or memory to map what a request names
// lets the request wait in the send queue, and those behind it: for ever if the QP's timeout is 0,
// otherwise for timeout times retry_cnt + 1, but at least 5 s. It ends with RETRY_EXC_ERR. A
// process that is gone is known at once, and requests to its QPs end by their timeouts.
//
// # Where what is
//
//	device        device.go options.go faults.go context.go port.go
//	objects       object.go table.go list.go; string.go: what they print as
//	shared memory layout.go layout_unsafe.go: what lies where. open.go, remote.go: a peer's memory,
//	              opened and mapped. socket.go, serve.go: the connections between contexts
//	memory, keys  mr.go window.go; mw.go, bind.go: memory windows
//	QPs           qp.go qptype.go modify.go
//	requester     post.go, again.go, execute.go, move.go: a request from PostSend to the peer's
//	              completion. peer.go: the QP it is for. queue.go, overtake.go, progress.go,
//	              alarm.go: requests that wait, and who goes on with them. lock.go relaxed.go release.go: locks
//	              and counters. turn.go: who waits until a requester is out
//	responder     recv.go: receives and records
//	shared        srq.go; shared.go: pools, and what is lent of them, borrow.go: the requester that takes
//	              it, collect.go: completions. xrc.go xrc_recv.go
//	datagrams     datagram.go grh.go ah.go mcast.go multicast_peers.go
//	completions   cq.go cq_receivers.go cq_size.go timestamp.go
//	events        notifier.go channel.go pipe_unsafe.go; event.go: asynchronous ones
//	Linux         system_unsafe_linux.go; elsewhere system_other.go: no device can be opened
//
// # Lifetimes
//
//	object            made by          ends with        and those who use it then
//	directory         open             the context,     peers have it mapped as long as the remote
//	                                   and no object
//	                                   of it is left
//	remote            first QP or AH   last QP or AH    r.mu guards what close unmaps; QPs hold a
//	                  to a context,    to it; for       reference, and for messages to groups the
//	                  or a message to  groups, the      context holds one of each
//	                  a group          first message
//	                                   after its end
//	region's memory   a Buffer         Buffer.Close,    MR.Close takes the key out of the table,
//	                                   last MR.Close    counts a change, and waits for requesters
//	                                                    that were at work (turn.go)
//	memory window     a bind           LOCAL_INV,       its entry changes; the request waits in the
//	                                   SEND_WITH_INV,   send queue for requesters that were at work,
//	                                   the next bind,   and Close as MR.Close does
//	                                   Close
//	peer's memory     first request    a note from the  the same wait, for requesters of this side
//	                  that names it    owner, or the
//	                                   remote's end
//	receive queue     QP               QP.Close         peers have it mapped until they leave
//	                                                    the connection; who polls may look at it
//	                                                    as long as the QP is referenced. RESET gives
//	                                                    the QP a new one if the peer's requester was
//	                                                    not out after 5 s
//	connection        RTR              RESET, Close;    awaitPeerOut: after the state has
//	                                   epoch tells one  changed, the peer's requester is waited
//	                                   from the next    for. life tells whether a failure is of
//	                                                    an earlier connection
//	pipe of a channel channel          channel.Close,   peers' descriptors go with the remote; a
//	                                   after its CQs    token for an old arming is no event
//	lent receive      the owner        record, QP's     what the peer has not used goes back to
//	                                   end, or another  the shared queue; when another QP asks,
//	                                   QP's need        what the peer has not taken
//
// A requester is at work while its word in the directory (turns) is odd. Whoever ends something
// takes it out of the tables, counts a change (directory.changes) and waits for each word that
// was odd to change. A requester compares the count before each request and each 1 MiB.
//
// # Types of QPs
//
// RC is as above. A request that the peer refuses leaves a fault record behind
// the receives, which ends the peer's side; the requester also asks the peer's device over
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
// is stored when the process goes on. RESET waits as long, and then leaves the receive queue to that
// peer: it completes no receive of a later connection, but it may still store up to 1 MiB in the
// regions that its request names. Who knows before that peers are lost says so by the context's
// AbandonPeers, and nothing waits for them any more.
//
// Peers unmap memory when the last region on it is closed. Rereg makes a new region with keys of
// its own, and then closes the old one.
//
// # Shared receive queues
//
// An SRQ is private to its process. A QP on one keeps a receive queue that its
// peer works in, and the owner lends receives to it: one for the first message, and up to 128
// while no other QP of the SRQ asks. Words in the QP's queue tell what is wanted and what there
// is not (RNR); who polls the CQ looks at them, and if nobody does the requester asks the
// owner's device over the socket. Receives go out in the
// order of the SRQ to whichever QP has a message.
//
// An XRC_RECV QP is lent receives of the SRQ that each request names. It
// has no PD: remote keys are checked against the PD of that SRQ. A domain belongs
// to one context: the file of ibv_open_xrcd names the same domain to all who open
// it there, and another one in other contexts and processes.
//
// # Memory windows
//
// A bound window has an entry among the regions, for peers alone. BIND_MW and LOCAL_INV change
// it when their turn in the send queue comes, and complete when no requester is at work by what
// was there before. After a SEND_WITH_INV its requester uses the window no more; the owner takes
// the key out of the table when the receive completes there, and can bind the window again from
// then on. A window of type 2 works for the peer of the QP that bound it alone, and so
// never with XRC.
//
// # Timestamps
//
// CQs of CreateCQEx stamp completions when they are made: of receives the peer's requester
// looks at the clock. In ticks that is CLOCK_MONOTONIC_RAW in nanoseconds, which all
// processes of the host share and NTP does not touch.
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
