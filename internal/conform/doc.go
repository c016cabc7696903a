// Package conform holds a device to the statements of package verbstest outside of go test:
// what ib_conform runs.
//
//	ib_conform ── pipe ── worker ── pipe ── peer              a second process here,
//	     │                   └───── TCP ─── server ── peer    or on another host
//	     └─── session, TCP ──────────────── server
//
// The statements run one after the other in a worker, which is this program again. A statement
// that crashes its worker, or does not end in time, differs, and another worker runs the rest.
// What a statement needs a second process for runs in a peer, which the worker starts, or the
// server that the run is made with.
package conform
