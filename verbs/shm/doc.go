// Package shm is the embedded device: RDMA between two processes of one host
// through shared memory, for machines without RDMA hardware.
//
// Client and server are separate processes, and the requester moves the data, as a NIC
// does: PostSend checks state, keys, bounds and access of both sides, copies into the
// peer's memory and publishes the peer's completion. The peer's CPU takes no part.
//
//	requester's process                        responder's process
//	PostSend                                   PollCQ
//	   |   directory (read-only): MRs, QPs        ^
//	   +-> reads ------------------------------>  | owner writes
//	   |   receive queue: WQEs, records           |
//	   +-> takes a WQE, publishes a record -----> + owner polls the records
//	   |   buffers: memfds of verbs.Buffer        |
//	   +-> copies data -------------------------> + owner reads its memory
//	   |   directory: is the CQ armed?            |
//	   +-> if so, writes a token to its pipe ---> + GetEvent reads the token
//
// All shared memory is sealed memfds of the process that owns it. Peers open them through
// /proc/PID/fd. The GID contains the descriptor of the directory, and the directory describes
// everything else. The owner takes no part in this either: it may be busy, stopped or out of
// descriptors. Nothing has a name in a file system, so nothing remains when a process ends.
// A value that a peer can write is read once and checked. It can fail only the connection to
// that peer. Both processes must run as one user, in one network and PID namespace, and neither
// may have capabilities that the other lacks.
//
// A request waits in the send queue, with those behind it, while its process lacks memory, or
// descriptors (two for a moment), to map what the request names. After the QP's timeout times
// retry_cnt + 1, and at least 5 s, it ends with RETRY_EXC_ERR; with timeout 0 it waits forever.
// The end of a peer's process is detected at once; requests to its QPs end by their timeouts.
//
// # Terms
//
//	requester      the part of a QP that executes its send requests, in the thread that
//	               posts or polls, or in the engine. One thread at a time holds it.
//	responder      the QP that a request goes to
//	owner          the process, or its context, that created an object and its memory
//	peer           the QP, context or process at the other end
//	directory      the memfd in which a context describes its MRs, QPs, SRQs and CQs
//	receive queue  the memfd of a QP with its posted receives and their records
//	record         the completion of one receive, as the peer's requester publishes it
//	arrivals       rings in a context's directory, in which its requesters name the peers' QPs that
//	               have new records, or ask for a receive
//	region cache   what a requester has looked up, valid while the change counts of both
//	               directories are unchanged
//	quiesce        to wait until each requester that was executing has left once
//	supply         to move receives of an SRQ to a QP's receive queue; the owner can
//	               reclaim those that the peer's requester has not claimed
//	doorbell       a packet that asks the peer's device to process a QP
//	token          the message in a completion channel's pipe that becomes an event
//	engine         the goroutine of a context that executes pending requests
//
// # Files
//
//	device         device.go, device_options.go, device_faults.go, device_port.go;
//	               context.go: an open device
//	objects        object.go: reference counts, errors; object_string.go;
//	               table.go: objects by number, copy-on-write lists
//	shared memory  layout.go, layout_unsafe.go: directory and receive queue
//	the peer       peer_memory.go: opening and mapping its memory; peer_context.go;
//	               peer_qp.go: its QP and receive queue, as the requester uses them
//	socket         socket.go: connections between contexts; socket_server.go: doorbells
//	memory         mr.go; mw.go: memory windows; region_cache.go; mapped_regions.go: what of
//	               peers' memory is mapped
//	QPs            qp.go, qp_type.go, qp_modify.go; xrc.go
//	requester      post.go, post_fast.go: PostSend; execute.go: one request;
//	               copy.go: its data; send_queue.go: pending requests;
//	               send_reorder.go: WRITEs that overtake each other; send_unseen.go: WRITEs that complete
//	               before their data is stored; progress.go: the engine
//	               and polling threads; delay_timer.go
//	locks          internal/lockorder: the order in which they are acquired; lock.go: the requester's
//	               word, spin lock, counters; lock_race.go, lock_norace.go; quiesce.go: waiting until
//	               requesters have left, by internal/quiesce
//	responder      recv_queue.go: receives; recv_records.go: their records and completions, by internal/ring
//	SRQs           srq.go; srq_supply.go: the owner; srq_requester.go: the peer's
//	               requester; srq_completions.go
//	UD             ud_datagram.go, ud_grh.go, ud_ah.go, ud_multicast.go
//	CQs            cq.go; cq_receivers.go: records of its QPs; cq_srq_receivers.go: those of QPs
//	               on SRQs; cq_names.go, arrivals.go: which of
//	               many QPs have records; cq_overrun.go; cq_timestamp.go
//	events         cq_notifier.go: tokens, by internal/arming; channel.go, channel_unsafe.go: the
//	               completion channel; async_event.go
//	Linux          system_unsafe_linux.go: system calls; system_other.go: no device opens
//
// # Lifetimes
//
//	object             created by       ends with        users at its end
//	directory          open             the context and  peers keep it mapped as long as
//	                                    its last object  their peerContext
//	peerContext        first QP or AH   last QP or AH;   r.mu guards what close unmaps. QPs
//	                   to a context,    for multicast,   and AHs hold references, and for
//	                   or a multicast   the next         multicast the context holds one of
//	                   message          message after    each
//	                                    its end
//	memory of regions  a Buffer         Buffer.Close     MR.Close removes the key, counts a
//	                                    and the last     change and quiesces
//	                                    MR.Close
//	memory window      a bind           LOCAL_INV,       its entry changes; the request stays
//	                                    SEND_WITH_INV,   pending until requesters have left.
//	                                    the next bind,   MW.Close quiesces as MR.Close does
//	                                    MW.Close
//	peer's memory      first request    unmap notice of  unmapRegion quiesces this side's
//	                   that names it    the owner, or    requesters; a bit in the directory tells
//	                                    the end of the   the owner that it may be mapped
//	                                    peerContext
//	receive queue      CreateQP         QP.Close, which  peers keep it mapped until they leave
//	                                    frees its pages  the connection, and pollers may read
//	                                                     it while the QP is referenced. RESET
//	                                                     replaces it if the peer's requester
//	                                                     has not left within 5 s
//	connection         RTR              RESET, Close     awaitPeerRequester. The epoch
//	                                                     distinguishes connections for peers,
//	                                                     qp.generation for failures
//	channel's pipe     channel          Close, after     peers close theirs with the
//	                                    its CQs          peerContext; stale tokens are dropped
//	supplied receive   supplyRequested, its record, the  the owner moves unclaimed receives back
//	                   supplyWaiting    QP's end, or     to the SRQ, and claimed ones too when
//	                                    another QP's     the QP or the peer's context has ended
//	                                    request
//
// A thread that ends an object waits until requesters have left, as package quiesce describes: the
// word is requesterSeq, the number of changes directory.changes. A requester compares the number
// before each request and each chunk of 1 MiB.
//
// # Types of QPs
//
// RC works as described above. If the responder's side refuses a request, the requester publishes a
// fault record, which fails the peer's QP. It also rings the doorbell, so that the QP goes to ERR
// and its event is raised even if its owner does not poll.
//
// UC works the same way without acknowledgement: what the peer does not accept is dropped, and the
// request succeeds.
//
// UD messages are packets on the socket between two contexts. A goroutine of the receiving context
// acts as the device: it stores the message in the QP's next receive, behind a GRH. A message is
// lost, as on a network, if the socket is full, or if there is no QP, no receive or another Q_Key.
// A multicast message goes to every context of this user on this host, of any embedded device, as
// listed in /proc/net/unix. Each context delivers it to its QPs in the group.
//
// Atomic operations are instructions of the requester's CPU on the shared word. They are atomic
// with respect to all such instructions of either process.
//
// # Deregistration
//
// When MR.Close has returned, no request stores to the region or reads from it. A request that is
// executing stops within 1 MiB: with REM_ACCESS_ERR, or REM_OP_ERR if a receive named the
// memory, or LOC_PROT_ERR if the memory is the requester's own. Close waits only for that, and only
// for peers that have mapped the memory. If a peer's process is stopped within a request (SIGSTOP),
// Close returns ETIMEDOUT after 5 s, and the remainder of that 1 MiB is stored when the process
// resumes. RESET waits for the same time and then leaves the receive queue to that peer. All calls
// that wait for the same request of a peer do so for 5 s together. The peer completes no receive of a
// later connection, but it may still store up to 1 MiB in the regions that its request names. A
// caller that knows peers to be lost, or is about to end, calls the context's AbandonPeers; no call
// waits for peers after that.
//
// Peers unmap memory when its last region is closed. Rereg registers a new region with new keys and
// then closes the old one.
//
// # Shared receive queues
//
// An SRQ is private to its process. A QP on an SRQ has a receive queue, which its peer's requester
// uses, and to which the owner supplies receives: one for the first message, and up to 128 while no
// other QP of the SRQ asks. Two words in the receive queue hold the requester's request, and the
// owner's answer that the SRQ is empty (RNR). Polling the CQ services these words. If the owner
// does not poll, the requester rings the doorbell. Receives are supplied in the order of the SRQ,
// to whichever QP has a message.
//
// An XRC_RECV QP is supplied from the SRQ that each request names. It has no PD: remote keys are
// checked against the PD of that SRQ. An XRC domain belongs to one context: all who open the same
// file there share the domain; other contexts and processes get another one.
//
// # Memory windows
//
// A bound window has an entry among the regions, for peers only. BIND_MW and LOCAL_INV change the
// entry in send queue order, and complete when no requester uses the previous entry. After a
// SEND_WITH_INV its requester no longer uses the window. The owner removes the key when it polls
// the receive, and can then bind the window again. A window of type 2 is valid only for the peer
// of the QP that bound it, and therefore never with XRC.
//
// # Timestamps
//
// CQs of CreateCQEx stamp completions when they are made; for receives, the peer's requester reads
// the clock. Ticks are nanoseconds of CLOCK_MONOTONIC_RAW, which all processes of the host share
// and NTP does not adjust.
//
// # Order
//
// docs/EMBEDDED-DEVICE.md lists the devices, with the order in which each stores incoming data and
// the order that it promises (ibv_query_qp_data_in_order). shm_block128 shuffles the aligned
// 128-byte blocks of all SGEs; shm_unordered and shm_liar also shuffle the bytes within them.
//
// The promises are about the bytes of one request, in memory without relaxed ordering. No device
// promises that one WRITE is in place before a later one. On all but shm_whole one WRITE or SEND in
// eight is late, see [Options]: it executes after WRITEs that were posted behind it. An application that writes data and then a flag, and spins on
// the flag, therefore fails. What verbs order stays ordered: the completion of a request or
// receive, a READ and an atomic operation each find all earlier WRITEs of the QP in place, and of
// WRITEs to the same memory the last one prevails. A late WRITE executes when its CQ is polled,
// and after a millisecond or two without polling.
//
// The shuffled order follows from a seed, see [Options]. The same requests on the same QPs get the
// same order, independent of timing. Device.Software names the seed.
//
// A reader on another core can observe the order. The promise depends on x86's store order; on
// other CPUs all devices promise nothing. Messages of more than 1 MiB are stored in pieces of that
// size, in ascending order, and shuffled within each piece.
//
// READs of shuffling devices execute in the engine, since their reader is the requester itself,
// which must be able to poll its memory meanwhile.
package shm
