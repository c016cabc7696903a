// Package wrap makes devices out of other devices: slower ones, ones whose time is a
// number that a test sets, and ones that tell what is asked of them. They are for
// tests of programs that use package verbs, on any backend:
//
//	slow := wrap.Context(ctx, wrap.Options{PostDelay: wrap.Constant(5 * time.Microsecond).Posts})
//
// Everything that is not named in [Options] is forwarded, and costs a call more.
//
// # Time
//
// On the real clock a delay is waited for, spinning, and is never shorter than asked.
// On a virtual [Clock] nobody waits: a delay advances the clock. The embedded device
// carries requests out as they are posted, so data and completion arrive at that
// moment of virtual time, and what a program measures on its clock is the sum of the
// delays, exactly:
//
//	a, b := wrap.Clocks()
//	client := wrap.Context(ctxA, wrap.Options{Clock: a, PostDelay: wrap.Constant(3 * time.Microsecond).Posts})
//	server := wrap.Context(ctxB, wrap.Options{Clock: b, PostDelay: wrap.Uniform(1, 0, time.Millisecond).Posts})
//
// Round trip i of a ping-pong, measured with a.Now, takes 3 µs and what the server's
// delay gives for i.
package wrap
