// Package faults injects one fault into a run of the built programs at each named point, once on each side, and
// checks how both sides end. The programs are the released ones: the points are outside of them.
//
//	relay_test.go     points of messages: a relay between the two sides that knows each message's name
//	syscalls_test.go  points of files: system calls that a supervisor of the process answers (seccomp_unotify(2))
//	verbs_test.go     points of verbs: the test library in place of libibverbs fails a call by its name
//
// A first run of each shape without a fault records its points, so that a later message or file write has one.
package faults
