//go:build linux

/* HIP (libamdhip64.so) allocates, and the HSA runtime (libhsa-runtime64.so.1) exports. */
#include "memory.h"

#include <dlfcn.h>
#include <stdio.h>

#define LIBHIP(F) \
	F(hipSetDevice, (int)) \
	F(hipDeviceGetName, (char *, int, int)) \
	F(hipMalloc, (void **, size_t)) \
	F(hipFree, (void *))

#define LIBHSA(F) \
	F(hsa_amd_portable_export_dmabuf, (const void *, size_t, int *, uint64_t *)) \
	F(hsa_amd_portable_close_dmabuf, (int))

#define POINTER(name, parameters) static int (*p_##name) parameters;
LIBHIP(POINTER)
LIBHSA(POINTER)

static const char *(*p_hipGetErrorString)(int);

/* open_first opens the library under the first name that exists: packages of ROCm have the first only for developers. */
static void *open_first(struct gpu_memory *m, const char *const *names)
{
	void *library = NULL;

	for (; *names && !library; names++)
		library = dlopen(*names, RTLD_NOW);
	if (!library)
		snprintf(m->problem, sizeof m->problem, "%s", dlerror());
	return library;
}

static int load(struct gpu_memory *m)
{
	static const char *const hip[] = { "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL };
	static const char *const hsa[] = { "libhsa-runtime64.so.1", NULL };
	void *library = open_first(m, hip);

	if (!library)
		return GPU_NO_LIBRARY;
#define FIND(name, parameters) \
	if (!(*(void **)&p_##name = dlsym(library, #name))) { \
		snprintf(m->problem, sizeof m->problem, "the library lacks " #name ": ROCm 5.7 or later is needed"); \
		return GPU_NO_LIBRARY; \
	}
	LIBHIP(FIND)
	*(void **)&p_hipGetErrorString = dlsym(library, "hipGetErrorString");
	if (!(library = open_first(m, hsa)))
		return GPU_NO_LIBRARY;
	LIBHSA(FIND)
	return GPU_DONE;
}

static int failed(struct gpu_memory *m, const char *call, int error)
{
	snprintf(m->problem, sizeof m->problem, "%s: %s (%d)", call, p_hipGetErrorString ? p_hipGetErrorString(error) : "error", error);
	return GPU_FAILED;
}

int rocm_allocate(struct gpu_memory *m, int number, size_t bytes)
{
	void *at = NULL;
	int error, status = load(m);

	m->fd = -1;
	if (status != GPU_DONE)
		return status;
	if ((error = p_hipSetDevice(number)))
		return failed(m, "hipSetDevice", error);
	if ((error = p_hipDeviceGetName(m->name, sizeof m->name, number)))
		return failed(m, "hipDeviceGetName", error);
	bytes = (bytes + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE;
	if ((error = p_hipMalloc(&at, bytes)))
		return failed(m, "hipMalloc", error);
	m->allocated = (uintptr_t)at;
	if ((error = p_hsa_amd_portable_export_dmabuf(at, bytes, &m->fd, &m->offset))) {
		p_hipFree(at);
		snprintf(m->problem, sizeof m->problem,
			 "hsa_amd_portable_export_dmabuf: status %#x: the kernel needs CONFIG_PCI_P2PDMA and CONFIG_DMABUF_MOVE_NOTIFY", error);
		return GPU_FAILED;
	}
	return GPU_DONE;
}

void rocm_free(struct gpu_memory *m)
{
	p_hsa_amd_portable_close_dmabuf(m->fd);
	p_hipFree((void *)(uintptr_t)m->allocated);
}
