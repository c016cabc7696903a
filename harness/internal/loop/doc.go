// Package loop contains the measuring threads. A [Worker] is one thread in one completion mode;
// [Workers] holds those of all modes. A worker has the connections of its [setup.Queues], each as a
// [Flow]: a sender and a receiver.
//
// In each round the engine calls [Worker.Begin], which chooses the functions of the loop from the
// [testcase.Case], and then [Worker.Run]. While the loop runs, [Worker.Sent] and [Worker.Expect]
// exchange the numbers of messages with the peer. After it the engine reads costs, samples and
// rates from the worker and its [Group].
//
// The functions that a loop calls are chosen before the clock starts, so the loop does not branch on
// the mode or the operation. A loop allocates nothing, and polls the halt flag in every pass.
//
//   - workers.go, group.go, worker.go, round.go: threads, those of one mode, one thread, one round
//   - flow.go, sender.go, receiver.go, credit.go: a connection in use, its two halves, flow control
//   - stream.go, stream_send.go, stream_receive.go, stream_pace.go: the loop of bandwidth tests,
//     sending and receiving, rate limit
//   - pingpong.go, pingpong_exact.go, pingpong_wait.go, pingpong_qps.go, pingpong_memory.go: the loops of
//     latency tests, their waits, several QPs
//   - open_loop.go, arrivals.go: the loop of latency tests with a rate, and when its messages are due
//   - flag.go, pair.go: messages of two requests: with flags, or with immediate data
//   - counter.go: mode counter
//   - recv_by_completion.go, immediate_data.go, sequence.go: receives in any order; the numbers that
//     messages carry; messages and completions in any order
//   - consume.go, atomic.go: touching and checking messages; atomic operations
//   - loss.go: transports that lose messages
//   - wait.go, spin.go, cq_check.go, cpu_cost.go: waits and sleeps, mode adaptive, polls of the CQ, cost of the thread
//   - drain.go: empty queues after a size
//   - synchronous_reads.go: devices that execute READs in the post
package loop
