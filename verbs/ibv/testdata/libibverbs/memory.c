/* PDs, memory regions and address handles. */
#include "stub.h"

static struct mr {
	struct abi_mr mr;
	uint64_t iova;
	unsigned int access;
} *regions[OBJECTS]; /* by key, without the first */

struct abi_pd *ibv_alloc_pd(struct abi_context *c) { return object(c, sizeof(struct abi_pd)); }
int ibv_dealloc_pd(struct abi_pd *pd) { return done(pd, NULL); }

struct abi_mr *ibv_reg_mr_iova2(struct abi_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct mr *m = object(pd->context, sizeof *m);
	uint32_t key = 1;

	if (!m)
		return NULL;
	pthread_mutex_lock(&lock);
	while (regions[key])
		if (++key == OBJECTS)
			abort();
	*m = (struct mr){{.context = pd->context, .pd = pd, .addr = addr, .length = length, .lkey = key, .rkey = key}, iova, access};
	regions[key] = m;
	pthread_mutex_unlock(&lock);
	return &m->mr;
}

int ibv_dereg_mr(struct abi_mr *mr) { return done(mr, (void **)&regions[mr->lkey]); }

void *reach(uint32_t key, uint64_t addr, size_t length, unsigned int access)
{
	struct mr *m = key < OBJECTS ? regions[key] : NULL;

	if (!key)
		return (void *)(uintptr_t)addr;
	if (!m || (m->access & access) != access || addr < m->iova || length > m->mr.length || addr - m->iova > m->mr.length - length)
		return NULL;
	return (char *)m->mr.addr + (addr - m->iova);
}

struct abi_ah *ibv_create_ah(struct abi_pd *pd, struct abi_ah_attr *a) { return object(pd->context, sizeof pd->context); }

struct abi_ah *ibv_create_ah_from_wc(struct abi_pd *pd, struct abi_wc *wc, struct abi_grh *grh, uint8_t port)
{
	return ibv_create_ah(pd, NULL);
}

int ibv_destroy_ah(struct abi_ah *ah) { return done(ah, NULL); }

NOTHING(init_ah_from_wc, struct abi_context *o, uint8_t port, struct abi_wc *wc, struct abi_grh *grh, struct abi_ah_attr *a)
