// Package oob is the out-of-band channel of a run: one TCP connection between the client
// and the server, over which they agree on a plan, swap endpoints, meet at barriers and
// learn of each other's end. What they say is opaque here: a payload is bytes.
//
// # The life of a connection
//
//	client                                         server
//	Dial      ───────────── connect ─────────────▶ Accept    Dial retries while nobody listens
//	          ◀───────────── hello ──────────────▶           at most 5 s
//
//	Exchange  ◀───── data, step "plan" ──────────▶ Exchange
//	Exchange  ◀───── data, step "endpoints" ─────▶ Exchange
//	          ◀────────────── ping ──────────────▶           each second; 4 s of silence are a loss
//
//	Close     ◀────────────── bye ───────────────▶ Close     the run is over
//	Abort     ────────── abort, reason ──────────▶ Lost, Err or one side ends it early
//
// An exchange has no deadline of its own, because a step may rightly take as long as a run
// does. It waits while the peer is alive, which the pings prove, and returns at once when the
// peer ends, aborts, dies, or says what is not a frame. A side that is not in an exchange
// learns the same from [Conn.Lost].
//
// # The frame
//
//	 0        4         5      6             7         8                12
//	┌────────┬─────────┬──────┬─────────────┬─────────┬────────────────┬──────┬─────────┐
//	│ "IBPF" │ version │ kind │ step length │ 0       │ payload length │ step │ payload │
//	└────────┴─────────┴──────┴─────────────┴─────────┴────────────────┴──────┴─────────┘
//	                                                    big endian      ≤ 32   ≤ 4 MiB
//
// The first five bytes keep their meaning in every version, so that two versions can name
// each other. Both lengths are checked against the limits of the kind before memory is taken
// for what follows. A peer's bytes reach an error text only quoted or cleaned.
//
// # Concurrency
//
// All methods of [Conn] may be called from several goroutines. Each connection has two
// goroutines of its own, one that reads and one that pings; both end when the connection does.
package oob
