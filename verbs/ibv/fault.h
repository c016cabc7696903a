/* Reports crashes of C functions that run on the stacks of package ccall. */
#ifndef IBPERF_FAULT_H
#define IBPERF_FAULT_H

#include <stddef.h>

/*
 * fault_watch installs signal handlers that report crashes on these stacks, of each bytes.
 * What the last words of a stack hold is documented at Stacks.Memory in package ccall.
 */
void fault_watch(void *stacks, size_t size, size_t each);

#endif
