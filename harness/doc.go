// Package harness is the engine of the benchmarks. [Run] runs one side of a plan over an opened
// device and an [oob.Peer], and fills a result file. The package knows no flags and no sockets, and
// prints nothing.
//
// Both sides set up their devices alike. Then the client directs: it sends each step to the server,
// and both sides execute it.
//
//	Run: for each run: set up -> for each round: for each size: [size -> warm-ups -> modes -> drain]
//	     at the end: rows -> end
//
// A comparison does so, in a random order. Without one there is one mode, all rounds of a size come one
// after another, and a single run finishes the row of each size at once. A row is one mode and size in the
// result, made of its rounds.
//
//   - config.go, session.go: [Config] and a run
//   - setup.go, promise.go, mode_decision.go, bounds.go, footprint.go: setting up; what this side's devices
//     promise; which modes the promises allow; limits of the peer's messages, memory that a plan needs
//   - schedule.go, steps.go, order.go, precision.go: the client's steps, and executing one; the order of
//     sizes and modes; further runs for --precision
//   - round.go, round_result.go, measurement.go, bidirectional.go, drain.go: one round, its figures, those of both
//     sides and of each device, both directions at once, empty queues after a size
//   - row.go, row_build.go, row_cost.go, row_finish.go, loss.go, load.go, round_variation.go: rows, statistics, CPU
//     time, lost messages
//   - warnings.go, idle.go, rate_limit.go: what is doubtful
//   - merge.go, merge_row.go, merge_tuning.go: one file of the runs of several processes
//   - run_infinitely.go: runs that end when they are stopped
//   - threads.go, placement.go, numa.go: the measuring threads, their CPUs and NUMA nodes
//   - device.go, link_rate.go, counters.go: the device as files describe it, counters of the caller
//   - watch.go, device_events.go, errors.go: what ends a run early
//
// The packages below, each importing only those after it:
//
//   - internal/loop: the measuring threads, their senders, receivers and timed loops
//   - internal/setup: device, memory, queues, connections
//   - internal/testcase: a plan resolved into test cases; no device
//   - internal/message, internal/stats: contents of messages; samples and rates
//   - internal/affinity, internal/clock, internal/halt: CPUs and the Go runtime; time; the stop
//     flag that all loops poll
package harness
