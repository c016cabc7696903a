package cli

import "runtime/debug"

// leanPercent is how much garbage a heap of a few MiB may hold, of what is in use. No
// garbage is collected while anything is measured.
const leanPercent = 25

// lean keeps small what a program of thousands of QPs takes beside them: no garbage that
// doubles the heap, and no huge pages for the first bytes of heaps and of threads' stacks,
// which are 2 MiB each where the kernel gives huge pages to all that asks for memory.
func lean() {
	debug.SetGCPercent(leanPercent)
	leaveHugePagesOut()
}
