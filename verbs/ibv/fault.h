/* Reports crashes of C functions that run on the stacks of package ccall. */
#ifndef IBPERF_FAULT_H
#define IBPERF_FAULT_H

#include <stddef.h>

/*
 * fault_watch installs signal handlers that report crashes on these stacks. Each stack
 * takes so many bytes; its last word is the calling goroutine's stack pointer, which
 * points to the return address in Go.
 */
void fault_watch(void *stacks, size_t size, size_t each);

#endif
