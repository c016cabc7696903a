//go:build linux

/*
 * The CUDA driver API (libcuda.so.1). Names with _v2 are those that cuda.h gives to the
 * functions of the same names without it.
 */
#include "memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { DMA_BUF_SUPPORTED = 124 };  /* CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED */
enum { HANDLE_TYPE_DMA_BUF_FD = 1 }; /* CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD */

#define LIBCUDA(F) \
	F(cuInit, (unsigned int)) \
	F(cuGetErrorName, (int, const char **)) \
	F(cuDeviceGet, (int *, int)) \
	F(cuDeviceGetByPCIBusId, (int *, const char *)) \
	F(cuDeviceGetName, (char *, int, int)) \
	F(cuDeviceGetAttribute, (int *, int, int)) \
	F(cuDevicePrimaryCtxRetain, (void **, int)) \
	F(cuDevicePrimaryCtxRelease_v2, (int)) \
	F(cuCtxSetCurrent, (void *)) \
	F(cuMemAlloc_v2, (unsigned long long *, size_t)) \
	F(cuMemFree_v2, (unsigned long long)) \
	F(cuMemGetHandleForAddressRange, (void *, unsigned long long, size_t, int, unsigned long long))

#define POINTER(name, parameters) static int (*p_##name) parameters;
LIBCUDA(POINTER)

static int load(struct gpu_memory *m)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!library) {
		snprintf(m->problem, sizeof m->problem, "%s", dlerror());
		return GPU_NO_LIBRARY;
	}
#define FIND(name, parameters) \
	if (!(*(void **)&p_##name = dlsym(library, #name))) { \
		snprintf(m->problem, sizeof m->problem, "libcuda.so.1 lacks " #name ": CUDA 11.7 or later is needed"); \
		return GPU_NO_LIBRARY; \
	}
	LIBCUDA(FIND)
	return GPU_DONE;
}

static int failed(struct gpu_memory *m, const char *call, int error)
{
	const char *name = NULL;

	p_cuGetErrorName(error, &name);
	snprintf(m->problem, sizeof m->problem, "%s: %s (%d)", call, name ? name : "unknown error", error);
	return GPU_FAILED;
}

#define TRY(call, ...) \
	do { \
		int error = p_##call(__VA_ARGS__); \
		if (error) { \
			int status = failed(m, #call, error); \
			cuda_free(m); \
			return status; \
		} \
	} while (0)

int cuda_allocate(struct gpu_memory *m, int number, const char *bus, size_t bytes)
{
	int supported = 0, status = load(m);
	unsigned long long at = 0, page = GPU_PAGE;

	m->fd = -1;
	if (status != GPU_DONE)
		return status;
	TRY(cuInit, 0);
	if (bus)
		TRY(cuDeviceGetByPCIBusId, &m->device, bus);
	else
		TRY(cuDeviceGet, &m->device, number);
	TRY(cuDeviceGetName, m->name, sizeof m->name, m->device);
	TRY(cuDeviceGetAttribute, &supported, DMA_BUF_SUPPORTED, m->device);
	if (!supported) {
		snprintf(m->problem, sizeof m->problem, "%.100s exports no dma-buf: it needs NVIDIA's open kernel modules", m->name);
		return GPU_FAILED;
	}
	TRY(cuDevicePrimaryCtxRetain, &m->context, m->device);
	TRY(cuCtxSetCurrent, m->context);
	bytes = (bytes + page - 1) / page * page;
	TRY(cuMemAlloc_v2, &at, bytes + page); /* a page more, as an address need not be a multiple of one */
	m->allocated = at;
	at = (at + page - 1) / page * page;
	TRY(cuMemGetHandleForAddressRange, &m->fd, at, bytes, HANDLE_TYPE_DMA_BUF_FD, 0);
	p_cuCtxSetCurrent(NULL);
	return GPU_DONE;
}

/* cuda_free frees what cuda_allocate has made until now, which may be a part. */
void cuda_free(struct gpu_memory *m)
{
	if (!m->context)
		return;
	p_cuCtxSetCurrent(m->context);
	if (m->fd >= 0)
		close(m->fd);
	if (m->allocated)
		p_cuMemFree_v2(m->allocated);
	p_cuCtxSetCurrent(NULL);
	p_cuDevicePrimaryCtxRelease_v2(m->device);
	m->context = NULL;
}
