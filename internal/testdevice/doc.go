// Package testdevice wraps devices for tests of programs that use package verbs, on any
// backend: a wrapped device is slower, runs on a virtual clock, keeps messages in the CQE, or
// calls hooks of a test:
//
//	slow := testdevice.Context(ctx, testdevice.Options{PostDelay: testdevice.Constant(5 * time.Microsecond).Posts})
//
// It forwards all calls that [Options] does not change, at the cost of one more call.
//
//	options.go delay.go          what a wrapped device changes
//	clock.go time.go             virtual and real time
//	context.go qp.go cq.go channel.go region.go  the wrappers
//	reads.go                     READs that are executed late
//	scatter.go                   messages that are in the CQE until it is polled
//
// # Time
//
// In real time the device spins for a delay, which is never shorter than given. A virtual
// [Clock] advances by the delay instead. The embedded device executes requests when they are
// posted, so data and completion arrive at that moment of virtual time, and a program measures
// the exact sum of the delays on its clock:
//
//	a, b := testdevice.Clocks()
//	client := testdevice.Context(ctxA, testdevice.Options{Clock: a, PostDelay: testdevice.Constant(3 * time.Microsecond).Posts})
//	server := testdevice.Context(ctxB, testdevice.Options{Clock: b, PostDelay: testdevice.Uniform(1, 0, time.Millisecond).Posts})
//
// Round trip i of a ping-pong, measured with a.Now, takes 3 µs and the server's delay i.
package testdevice
