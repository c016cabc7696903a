/* Memory of a GPU, exported as a dma-buf. */
#ifndef IBPERF_GPU_MEMORY_H
#define IBPERF_GPU_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct gpu_memory {
	int fd; /* of the dma-buf */
	uint64_t offset;
	uint64_t allocated; /* address, as the library returned it */
	int device;
	void *context;
	char name[128];
	char problem[256]; /* why the allocation failed */
};

enum { GPU_DONE, GPU_NO_LIBRARY, GPU_FAILED };

/* The unit of memory that both libraries export. */
#define GPU_PAGE ((size_t)64 << 10)

int cuda_allocate(struct gpu_memory *m, int number, const char *bus, size_t bytes);
void cuda_free(struct gpu_memory *m);
int rocm_allocate(struct gpu_memory *m, int number, size_t bytes);
void rocm_free(struct gpu_memory *m);

#endif
