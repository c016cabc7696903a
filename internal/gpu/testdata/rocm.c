/* libamdhip64.so.6 and libhsa-runtime64.so.1 of a machine with one GPU, in one library, for tests: see cuda.c. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.c"

int hipSetDevice(int device) { return device ? 101 : 0; }
const char *hipGetErrorString(int error) { return error == 101 ? "invalid device ordinal" : "out of memory"; }
int hipFree(void *at) { return !at; }

int hipDeviceGetName(char *name, int size, int device)
{
	strncpy(name, "Stub Instinct", size);
	return device != 0;
}

int hipMalloc(void **at, size_t size)
{
	*at = (void *)0x700000000000;
	return size && !fails("hipMalloc") ? 0 : 2;
}

int hsa_amd_portable_export_dmabuf(const void *at, size_t size, int *fd, uint64_t *offset)
{
	*offset = 0;
	*fd = at && !fails("export") ? new_memory(size) : -1;
	return *fd < 0 ? 0x1000 : 0;
}

int hsa_amd_portable_close_dmabuf(int fd)
{
	free_memory(fd);
	return 0;
}
