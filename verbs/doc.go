// Package verbs is an API for RDMA: a process reads and writes the memory of another
// one, and exchanges messages with it, without a system call for each operation.
// It follows libibverbs closely, so that its manual pages apply. Devices come from
// backends, one of which needs no hardware.
//
// # Concepts
//
// A [Device] is opened to a [Context], which creates all other objects:
//
//	Device ─ Open ─ Context ─┬─ PD ─┬─ MR   memory that the device may access
//	                         │      ├─ QP   queue pair: work requests are posted here
//	                         │      ├─ SRQ  receive queue that several QPs share
//	                         │      └─ AH   destination of a UD message
//	                         ├─ XRCD        domain that processes share for XRC
//	                         ├─ CompChannel ╮
//	                         └─ CQ ─────────╯ completed work is reported here
//
// A [QP] uses only the memory regions of its own protection domain ([PD]). A memory region
// ([MR]) makes a range of memory known to the device. Its lkey names it in this side's work
// requests; with its rkey the peer reads or writes it, if the [Access] flags allow it.
//
// A queue pair has a send queue and a receive queue. Work requests ([SendWR], [RecvWR]) name
// memory by scatter/gather elements ([SGE]). A SEND takes a receive that the peer has posted,
// in the QP or in a shared receive queue ([SRQ]). RDMA WRITE, READ and atomic operations access
// the peer's memory without work requests of the peer. A completed request is reported as a
// [WC] in a completion queue ([CQ]), which a program polls, or for which it sleeps with a
// [CompChannel]. Errors and changes of state apart from requests are [AsyncEvent]s.
//
// The transport ([QPType]) decides what a QP can do and what it promises. A QP of RC, UC and
// XRC is connected to one peer: it moves through the states INIT, RTR and RTS with the peer's
// [Endpoint], which both sides exchange by other means; see [Connect]. A UD QP has no peer:
// [Activate] moves it to RTS, each request names an address handle ([AH]), and multicast
// reaches groups of QPs. With XRC ([XRCD]) one connection reaches the receive queues of all
// processes of a host. SRD, which only EFA has, is reliable and reaches any QP.
//
// # Files
//
// Each file has the name of the object, or the group of values, that it declares. Interfaces
// that a backend may lack, to be found by a type assertion, are in cq_ex.go, mr_optional.go,
// mw.go, domain.go, cm.go and peers.go.
//
// # The manual's names
//
// Every method documents the C prototype that it implements. Types drop "ibv_"
// and constants their enum's prefix:
//
//	struct ibv_send_wr     SendWR          IBV_WR_RDMA_WRITE      OpRDMAWrite
//	struct ibv_wc          WC              IBV_WC_RETRY_EXC_ERR   WCRetryExcErr
//	struct ibv_qp_attr     QPAttr          IBV_SEND_INLINE        SendInline
//	struct ibv_port_attr   PortAttr        IBV_QPS_RTS            QPRTS
//	enum ibv_qp_attr_mask  QPAttrMask      IBV_QP_PATH_MTU        MaskPathMTU
//	enum ibv_access_flags  Access          IBV_ACCESS_LOCAL_WRITE AccessLocalWrite
//
// Every constant has the manual's name in its comment. Members of structures keep their
// names in CamelCase; the unions of struct ibv_send_wr are set by [SendWR.SetRDMA],
// [SendWR.SetAtomic], [SendWR.SetUD], [SendWR.SetXRC] and [SendWR.SetBindMW].
// String methods return the manual's names. An object prints as one short line that
// identifies it, such as "shm_whole QP 0x000017 RC RTS", whether open or closed, and never
// prints the contents of memory.
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
// [Devices] lists the devices of all backends, and [Lookup] finds a device by name.
//
// # Memory
//
// Devices keep addresses, so the data that they access must not be on Go's heap: it
// is in a [Buffer]. The device owns the data from the post until the completion is polled.
// Data that is sent with [SendInline] is free when PostSend returns.
//
// Work requests, their scatter/gather elements and completions may be on Go's heap, and
// are free when the call returns. Arrays from [Make] are outside the heap: the garbage
// collector does not scan them, and a backend need not pin them. Use them for calls that
// are timed.
//
// # Threads
//
// All methods may be called from any goroutine at any time, except that an
// object must not be used during its Close. A CQ may be polled while QPs that
// use it are closed. Posting takes a lock for each QP and polling one for each
// CQ: for full speed each thread has its own QPs and CQs.
// No call blocks, except GetEvent of [CompChannel] and GetAsyncEvent until their
// timeout, Modify and Close while they wait for a device, and Close of a CQ until
// its events are acknowledged. A waiting goroutine holds no thread, except in
// GetEventRaw.
//
// # Errors
//
// A verb that fails returns an [OpError], with the errno of libibverbs and, if known,
// the remedy. errors.Is compares it with a [syscall.Errno], [ErrNotSupported] and the
// other sentinels. A call on a closed object returns [ErrClosed]; closing it again
// returns nil. A request that was posted and fails later is not an error of a call: its
// completion has a [WCStatus] other than [WCSuccess], with the usual cause in Cause.
// The QP is then in state ERR (UC and UD: SQE), and all its other requests are flushed.
//
// # Order
//
// A program may spin on memory for arriving data only if the device promises the order in
// which it stores. [AskOrder] asks the device. The promise is never about two work requests.
//
// # Without hardware
//
// Package shm offers software devices that connect processes of one host, with
// all transports and three different promises of order. The example runs on one.
// docs/VERBS.md compares their verbs with those of soft RoCE.
package verbs
