// Package setup prepares one side's device for a run: memory, queues and connections.
//
// [New] creates [Resources] from a [testcase.Set]: protection domain, registered memory, and for
// each thread of each mode its [Queues] (CQs, completion channel, SRQ, thread domain) with one
// [Conn] for each QP. [Resources.Connect] agrees with the peer on GIDs, exchanges endpoints and
// takes all QPs to RTS. [Resources.AskDataOrder] then asks the device about data order, which it
// answers for connected QPs.
//
//   - resources.go, memory.go, tph.go: everything of a run; registered memory; its hints for PCIe
//   - queues.go, thread_domain.go, conn.go: queues of a thread, QPs, connections
//   - send_ops.go, out_of_order.go, vendors.go: how QPs are created; what vendors' devices differ in
//   - connect.go, gid.go: endpoints and paths, choice of the GID
//   - transport.go, multicast.go: UC, UD, XRC and SRD; multicast groups
//   - rdmacm.go, rdmacm_ud.go, rdmacm_path.go: connecting through rdma_cm
//   - data_order.go: the question about data order
//   - errors.go: errors of the device, and of ports that cannot reach each other
package setup
