// Package oob is the out-of-band channel of a run: one TCP connection between the client
// and the server, over which they agree on a plan, swap endpoints, meet at barriers and
// learn of each other's end. What they say is opaque here: a payload is bytes.
//
// # The life of a connection
//
//	client                                         server
//	Dial      ───────────── connect ─────────────▶           Dial tries again until its timeout
//	          ────────────── hello ──────────────▶           at most 5 s until the greeting is over
//	          ◀───────────── hello ───────────────
//	          ────────────── proof ──────────────▶           these two only with a secret
//	          ◀───────────── proof ─────────────── Accept
//
//	Exchange  ◀───── data, step "plan" ──────────▶ Exchange
//	Exchange  ◀───── data, step "answer" ────────▶ Exchange  the server calls Trust before it agrees
//	Exchange  ◀───── data, step "endpoints" ─────▶ Exchange
//	          ◀────────────── ping ──────────────▶           each second; 4 s of silence are a loss
//
//	Close     ◀────────────── bye ───────────────▶ Close     the run is over
//	Abort     ────── abort, class, reason ───────▶ Lost, Err or one side ends it early
//
// An exchange has no deadline of its own, because a step may rightly take as long as a run
// does. It waits while the peer is alive, which the pings prove, and returns at once when the
// peer ends, aborts, dies, or says what is not a frame. A side that is not in an exchange
// learns the same from [Conn.Lost].
//
// # Strangers
//
// Anyone may connect to a server. A [Listener] greets each connection by itself, at most 128 at
// a time; one more makes it close the one that it has waited for the longest. A connection that
// does not end its greeting well is a stranger's: it is counted, and Accept does not return.
// At most 64 clients wait for Accept; one more is sent away before its greeting is complete, and
// its Dial tries again. Of a client that the server does not trust yet it keeps little: payloads
// of 64 KiB, and one that waits.
//
// # The secret
//
// With a secret, a file that both sides were given, each side proves to the other that it has
// it, before anything else is read: an HMAC-SHA256, keyed by the secret, of "ibperf 2 client" or
// "ibperf 2 server" and the fresh random nonces of both hellos. The client proves first, and the
// server answers only a right proof. A side with a secret refuses one without, and the other way
// round. [Conn.Authenticated] tells whether it was done.
//
// It keeps those out who do not have the secret: they run no tests on a server, and a client
// does not take one of them for its server. It gives no more than that. Nothing is encrypted:
// who can read the packets on the way reads all that is said. And later frames carry no proof:
// who can alter packets on the way can take the connection over after the greeting. Whoever
// reads a client's proof, or listens in the place of a server, can try guesses of the secret
// against it, so a secret has to be random, such as 32 bytes of /dev/urandom, and not a word.
//
// # The frame
//
//	 0        4         5      6             7         8                12
//	┌────────┬─────────┬──────┬─────────────┬─────────┬────────────────┬──────┬─────────┐
//	│ "IBPF" │ version │ kind │ step length │ 0       │ payload length │ step │ payload │
//	└────────┴─────────┴──────┴─────────────┴─────────┴────────────────┴──────┴─────────┘
//	                                                    big endian      ≤ 32   ≤ 4 MiB
//
//	kind   step            payload
//	1      -               hello: role (1: client, 2: server), 1 with a secret or 0, nonce of 32 bytes
//	2      its name        data: of an exchange
//	3      -               ping: none
//	4      class or none   abort: the reason, for people
//	5      -               bye: none
//	6      -               proof: 32 bytes
//
// Lengths are checked against the limits of the kind and of the connection before memory is
// taken for what follows, and the memory grows with what arrives. A peer's bytes reach an error
// text only quoted or cleaned.
//
// # Versions
//
// Two sides work together if they have the same version of the protocol, whatever their releases.
//
//   - The first five bytes of a frame keep their meaning for ever. A client speaks first, and a
//     server answers a hello of any version with its own hello, before it hangs up if the version
//     is not its own: so both sides can name both versions.
//   - Within a version may change: names of steps and what payloads say, which the programs agree
//     on; classes, where one that is not known is as good as none; texts; limits of time, as long
//     as pings come more often than silence is a loss.
//   - A new version is needed for: the header, a kind, what a hello or a proof holds or is made
//     of, the order of the greeting, a limit of size or number.
//
// # Concurrency
//
// All methods of [Conn] and [Listener] may be called from several goroutines. Each connection has
// two goroutines of its own, one that reads and one that pings; both end when the connection does.
// A listener has one, and one for each greeting; all end with [Listener.Close].
package oob
