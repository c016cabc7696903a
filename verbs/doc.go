// Package verbs is an API for RDMA: reading and writing the memory of another
// process, and exchanging messages with it, without either kernel in the way.
// It follows libibverbs closely, so that its manual pages apply, and adds one
// thing: devices come from backends, one of which needs no hardware.
//
// # Concepts
//
// A [Device] is opened to a [Context], from which everything else is made:
//
//	Device ─ Open ─ Context ─┬─ PD ─┬─ MR   memory that devices may touch
//	                         │      ├─ QP   a queue pair: work goes in here
//	                         │      ├─ SRQ  receives that several QPs share
//	                         │      └─ AH   where a message of UD goes
//	                         ├─ XRCD        what processes share for XRC
//	                         ├─ CompChannel ╮
//	                         └─ CQ ─────────╯ where finished work is reported
//
// A protection domain ([PD]) says what belongs together: a [QP] uses the memory
// regions of its own domain only. A memory region ([MR]) makes a range of memory
// known to the device. Its lkey names it in this side's work requests, its rkey
// lets the peer read or write it, as far as the [Access] rights go.
//
// A queue pair has a send queue and a receive queue. Both are fed with work
// requests ([SendWR], [RecvWR]), which name memory by scatter/gather elements
// ([SGE]). SEND takes a receive that the peer has posted, in the QP or in a shared
// receive queue ([SRQ]); RDMA WRITE, READ and atomic operations work on the peer's
// memory without its doing. What is finished is reported as a [WC] in a completion
// queue ([CQ]), which is polled, or slept upon by a [CompChannel]. What happens
// apart from that is an [AsyncEvent].
//
// The transport ([QPType]) says what a QP can do and what it promises. RC, UC and
// XRC connect it to one peer, by taking it through the states INIT, RTR and RTS with
// the peer's [Endpoint], which both sides exchange by other means; [Connect] does it
// for RC. A QP of UD has no peer: [Activate] brings it up, each request names an address
// handle ([AH]), and groups of QPs can be reached by multicast. With XRC ([XRCD]) one
// connection reaches the receive queues of all processes of a host. SRD, of EFA alone, is
// reliable and reaches any QP.
//
// # The manual's names
//
// Every method documents the C prototype that it stands for. Types drop "ibv_"
// and constants their enum's prefix:
//
//	struct ibv_send_wr     SendWR          IBV_WR_RDMA_WRITE      OpRDMAWrite
//	struct ibv_wc          WC              IBV_WC_RETRY_EXC_ERR   WCRetryExcErr
//	struct ibv_qp_attr     QPAttr          IBV_SEND_INLINE        SendInline
//	struct ibv_port_attr   PortAttr        IBV_QPS_RTS            QPRTS
//	enum ibv_qp_attr_mask  QPAttrMask      IBV_QP_PATH_MTU        MaskPathMTU
//	enum ibv_access_flags  Access          IBV_ACCESS_LOCAL_WRITE AccessLocalWrite
//
// Every constant says its own, so that the manual's name finds it. Members of
// structures keep their names in CamelCase; the unions of struct ibv_send_wr are set
// by [SendWR.SetRDMA], [SendWR.SetAtomic], [SendWR.SetUD], [SendWR.SetXRC] and
// [SendWR.SetBindMW].
// String methods print the manual's names. Objects print as one short line that says which
// one it is, "shm_whole QP 0x000017 RC RTS" for instance, open or closed, and never with what
// is in memory.
//
// # Backends
//
// A backend is imported for its side effect, as database drivers are:
//
//	import (
//		_ "github.com/ibperf/ibperf/verbs/ibv" // libibverbs: RDMA hardware, rxe
//		_ "github.com/ibperf/ibperf/verbs/shm" // the embedded device
//	)
//
// [Devices] lists what they offer and [Lookup] finds a device by name.
//
// # Memory
//
// Devices keep addresses, so the data that they touch must not be on Go's heap: it
// lives in a [Buffer], which belongs to the device from the post until the completion
// is polled; data sent with [SendInline] is free at once.
//
// Work requests, their scatter/gather elements and completions may lie anywhere, and
// are free when the call returns. Arrays from [Make] lie outside Go's heap, where the
// garbage collector does not scan them and a backend has nothing to pin: use them for
// calls that are timed.
//
// # Threads
//
// All methods may be called from any goroutine at any time, except that an
// object must not be used during its Close; a CQ may be polled while QPs that
// use it are closed. Posting takes a lock for each QP and polling one for each
// CQ: threads that are to run at full speed have QPs and CQs of their own.
// Nothing blocks, except GetEvent of [CompChannel] and GetAsyncEvent until their
// timeout, Modify and Close while they wait for a device, and Close of a CQ until
// its events are acknowledged. Goroutines that wait hold no thread, except in
// GetEventRaw.
//
// # Errors
//
// A verb that fails returns an [OpError], with the errno that libibverbs gives
// and, where it is known, what to do about it. errors.Is compares it with a
// [syscall.Errno], [ErrNotSupported] and the other sentinels. A call on an object
// that is closed is [ErrClosed]; to close it again is no error. A work request that
// was posted and then fails is no error of a call: its completion has a
// [WCStatus] that is not [WCSuccess], whose Cause says what usually leads to it.
// The QP is then in state ERR (of UC and UD: SQE), and everything else on it is flushed.
//
// # Order
//
// Spinning on memory for data to arrive is right only where the device promises
// the order in which it stores. [AskOrder] asks. It never means order between
// two work requests.
//
// # Without hardware
//
// Package shm offers software devices that connect processes of one host, with
// all transports and three different promises of order. The example runs on one.
// docs/VERBS.md tells what they offer, beside soft RoCE.
package verbs
