// Package conform runs the statements of package verbstest on a device outside of go test, for
// ib_conform.
//
//	ib_conform ── pipe ── worker ── pipe ── peer              a second process here,
//	     │                   └───── TCP ─── server ── peer    or on another host
//	     └─── session, TCP ──────────────── server
//
// The statements run one after the other in a worker, which is another process of this program. A
// statement that crashes its worker, or does not end in time, counts as failed (Differs), and another
// worker runs the remaining ones. The second process of a statement is a peer. The worker starts it
// on this host, or the server of the run starts it on its host.
package conform
