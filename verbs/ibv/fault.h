/* Crashes of C functions that run on the stacks of package ccall. */
#ifndef IBPERF_FAULT_H
#define IBPERF_FAULT_H

#include <stddef.h>

/*
 * fault_watch has crashes on these stacks told. Each takes so many bytes; its last word
 * is the stack pointer of the goroutine that called, and that points to where it goes on.
 */
void fault_watch(void *stacks, size_t size, size_t each);

#endif
