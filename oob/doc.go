// Package oob is the out-of-band channel of a run: every message that a client and a server send
// each other, and the TCP connection that carries them.
//
// # The messages of a run
//
// A message is the payload of an exchange ([Conn.Exchange]), in which each side sends a payload and
// receives the peer's. An exchange has a name, which both sides give. Payloads are JSON; a side that has nothing to say sends an empty payload
// or a zero message. [Conn] has the agreement, [Peer] the run. The exchanges, in order:
//
//	method            name         client sends    server sends
//	Propose           plan         Proposal        -              agreement.go
//	                  answer       -               Answer         a plan, or a refusal, which ends the run, or
//	                                                              that another answer follows later
//
//	Offer             offer        Offer           Offer          run_messages.go; how to address the ports
//	Rendezvous        rdma_cm      -               Rendezvous     with --rdma_cm
//	Endpoints         endpoints    []Endpoint      []Endpoint     addresses of all QPs; not for QPs of rdma_cm; Offer
//	                                                              and Endpoints once for each device of a side
//	Promise           promise      Promise         Promise        devices, and their data order
//
//	Step              turn         Step            -              the client directs the rest:
//	                                                              StepSize: prepare for a message size
//	                                                              StepRound: measure a mode, by the next four
//	Ready             ready        -               -              a barrier
//	Align             align        Reading         Reading        of both clocks, where both are needed
//	Finish            finish       []uint64        []uint64       messages sent
//	Result            result       Round           Round          measurements, checked by Round.Check
//
//	                                                              StepDrain: drain the receive queues
//	Drain             rest         []uint64        []uint64       receives that are left, until none is
//	                                                              StepRow: complete the rows of a size
//	Row               row          Row             Row            statistics, checked by Row.Check
//	                                                              StepRun: begin again from Offer
//	                                                              StepEnd: end the run
//
// [Decode] decodes all JSON and makes its texts printable. A malformed message is a [MessageError].
//
// ib_conform has messages of its own (conform_messages.go). One connection carries the session,
// and one more each second process that the client asks for:
//
//	BeginConform      conform             ConformHello    -          with a device
//	                  conform-answer      -               Answer     without a plan
//	EndConform        end                 -               -
//
//	JoinConform       conform             ConformHello    -          without a device
//	                  conform-answer      -               -          the process has started
//	ConformToPeer     to-peer-0, ...      bytes           -          to the process
//	ConformFromPeer   from-peer-0, ...    -               bytes      from the process
//	ConformKill       kill                -               -          both sides end the process
//	ConformKilled     killed              -               text       that the process has printed
//
// ib_cluster has messages of its own too (cluster_messages.go). The agent of a rank is the client, the coordinator in
// rank 0 the server. Tasks go on until TaskEnd:
//
//	JoinCluster       join                ClusterHello    -
//	                  welcome             -               ClusterWelcome  empty, or a refusal
//	SendTask          task                -               ClusterTask     by the coordinator
//	SendOutcome       outcome             ClusterOutcome  -               by the agent
//
// # The life of a connection
//
//	client                                         server
//	Dial      ───────────── connect ─────────────▶           Dial tries again until its timeout
//	          ──────────── preamble ─────────────▶           at most 5 s until the greeting is over
//	          ◀─────────── preamble ──────────────
//	          ────────────── hello ──────────────▶
//	          ◀───────────── hello ───────────────
//	          ◀═══════════ TLS 1.3 ══════════════▶           TLS and proofs only with a secret
//	          ────────────── proof ──────────────▶
//	          ◀───────────── proof ─────────────── Accept
//
//	Exchange  ◀───── data, name "plan" ──────────▶ Exchange
//	Exchange  ◀───── data, name "answer" ────────▶ Exchange  the server calls Trust before it agrees
//	          ◀────────────── ping ──────────────▶           each second; 4 s of silence are a loss
//
//	Close     ◀────────────── bye ───────────────▶ Close     the run is over
//	Abort     ────── abort, class, reason ───────▶ Lost, Err or one side ends it early
//
// Each exchange of a run has a [Bound] that is derived from the plan: of the payload's bytes, of the values in its
// JSON, and of the time until it arrives, which is longest for "finish", at the end of a round. A peer that only
// answers pings is given up then. An exchange returns at once when the peer closes, aborts, dies, or sends bytes
// that are not a frame. A side outside of an exchange learns the same from [Conn.Lost].
//
// # Connections that are not clients
//
// Anyone may connect to a server. A [Listener] greets each connection on a goroutine of its own,
// at most 128 at a time; for a further one it closes the connection that has been silent for the
// longest. It rejects and counts a connection whose greeting fails, and Accept does not return
// it. At most 64 clients wait for Accept; the listener closes a further one before its greeting is
// complete, and Dial tries again. Before the server trusts a client, it keeps little data of it:
// payloads have at most 64 KiB, and one may wait.
//
// # The secret
//
// With a secret, a file that both sides were given, preambles and hellos alone travel in clear. A side with a secret refuses a
// peer whose hello says that it has none, and the reverse. Then TLS 1.3 begins on the same TCP connection, with a
// certificate that the server's process has made for itself, and each side proves in it that it has the secret before
// it reads anything else. The proof is an HMAC-SHA256, keyed by the secret, of "ibperf 3 client tests" and a line break
// (or "server", or "ib_conform"), and of the keying material that TLS exports for this (RFC 9266). So a proof is of no use on another
// connection, to the other side, or to another program, and a relay that has a TLS connection with each side cannot pass it on.
// The client proves first, and the server answers only a right proof. [Conn.Authenticated] reports whether proofs
// were exchanged.
//
// The certificate is not verified, and need not be: a host that answers in place of the server has other keying material. TLS
// alone keeps an observer from messages and proofs. A host that listens in place of a server receives the client's
// proof, and can test guesses of the secret, so a secret must be random, such as 32 bytes of /dev/urandom, and not a
// word.
//
// Anyone can make a server begin TLS, which takes less than a millisecond of a CPU. A server computes one handshake at a
// time, so that connections without the secret take at most one CPU, and a handshake that waits for its client does not
// count. A proof in clear before TLS would be cheaper for the server, but an observer could test guesses of the secret with it.
// docs/SECURITY.md says what users may rely on.
//
// # The preamble
//
//	 0           5        9         10      16
//	┌───────────┬────────┬─────────┬───────┐
//	│ "6.06", 0 │ "IBPF" │ version │ zeros │
//	└───────────┴────────┴─────────┴───────┘
//
// perftest's first message has 16 bytes too: its version, as a decimal number, and zeros. It reads the peer's
// number up to the first NUL and refuses numbers below 5.70. So a preamble is a message that perftest accepts, and
// each side recognizes the other: ibperf by the magic, perftest by the zeros. The client sends nothing more until it has the server's
// preamble, because perftest takes the next bytes for its next message.
//
// # The frame
//
//	 0        4         5      6             7         8                12
//	┌────────┬─────────┬──────┬─────────────┬─────────┬────────────────┬──────┬─────────┐
//	│ "IBPF" │ version │ kind │ name length │ 0       │ payload length │ name │ payload │
//	└────────┴─────────┴──────┴─────────────┴─────────┴────────────────┴──────┴─────────┘
//	                                                    big endian      ≤ 32   ≤ 4 MiB
//
//	kind   name            payload
//	1      -               hello: role (1: client, 2: server), 1 with a secret or 0
//	2      the exchange's  data: of an exchange
//	3      -               ping: none
//	4      class or none   abort: the reason, for people
//	5      -               bye: none
//	6      -               proof: 32 bytes, in TLS
//
// The receiver checks lengths against the limits of the kind and of the connection before it
// allocates memory, which grows as bytes arrive. Error texts have a peer's bytes only quoted or
// made printable.
//
// # Versions
//
// Two sides work together if they have the same version of the protocol, whatever their releases.
//
//   - The preamble never changes up to the version. A server answers a preamble of any version with its own
//     before either side closes because the versions differ: so both sides can name both versions.
//   - Before version 3 there were no preambles. A client of these versions begins with a hello, and a server
//     answers a hello of any version with its own, of which the first five bytes say the version; it closes at once when
//     it receives a preamble. So a server of this version answers such a client with a hello, and a client whose
//     server closes without an answer connects once more and begins with a hello, to learn the version.
//   - Within a version may change: names of exchanges and members of messages, which the programs agree
//     on; classes, where an unknown one counts as none; texts; time limits, as long as pings are
//     more frequent than the silence that counts as a loss.
//   - A new version is needed for a change of the header, a kind, the content of a hello or a proof,
//     the order of the greeting, a limit of size or number.
//
// # Concurrency
//
// All methods of [Conn] and [Listener] may be called from several goroutines. Each connection has
// two goroutines of its own, one that reads and one that pings; both end when the connection does.
// A listener has one, and one for each greeting; all end with [Listener.Close].
package oob
