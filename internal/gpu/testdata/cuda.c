/*
 * libcuda.so.1 of a machine with one GPU, for tests: its memory is that of a memfd. STUB_GPU_FILL is the byte that new
 * memory holds, and STUB_GPU_DUMP the file that gets the content of freed memory. STUB_GPU_FAIL names a call that fails.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.c"

enum { PAGE = 64 << 10, FIRST = 0x200 }; /* addresses need not be multiples of a page */

static int contexts; /* that are retained */
static __thread void *current;
static unsigned long long low, high; /* allocated */
static int exported = -1;

int cuInit(unsigned int flags) { return flags || fails("cuInit") ? 100 : 0; }
int cuDeviceGet(int *device, int n) { *device = 7; return n ? 101 : 0; }
int cuDeviceGetByPCIBusId(int *device, const char *bus) { *device = 7; return strcmp(bus, "0000:3b:00.0") ? 101 : 0; }
int cuDeviceGetAttribute(int *value, int a, int device) { *value = a == 124 && !fails("dma-buf"); return device != 7; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &contexts; contexts++; return device != 7; }
int cuDevicePrimaryCtxRelease_v2(int device) { contexts--; return device != 7; }
int cuCtxSetCurrent(void *context) { current = context; return 0; }

int cuGetErrorName(int error, const char **name)
{
	*name = error == 101 ? "CUDA_ERROR_INVALID_DEVICE" : error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_NO_DEVICE";
	return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
	strncpy(name, "Stub GPU", size);
	return device != 7;
}

int cuMemAlloc_v2(unsigned long long *at, size_t size)
{
	if (!current || fails("cuMemAlloc"))
		return 2;
	*at = low = 0x700000000000 + FIRST;
	high = low + size;
	return 0;
}

int cuMemGetHandleForAddressRange(void *fd, unsigned long long at, size_t size, int type, unsigned long long flags)
{
	if (!current || type != 1 || flags || at % PAGE || size % PAGE || at < low || at + size > high)
		return 1;
	exported = new_memory(size);
	*(int *)fd = dup(exported);
	return exported < 0;
}

int cuMemFree_v2(unsigned long long at)
{
	if (!current || at != low)
		return 1;
	free_memory(exported);
	return 0;
}
