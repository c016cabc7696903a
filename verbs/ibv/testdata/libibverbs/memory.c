/* PDs, memory regions and address handles. */
#include "stub.h"

static struct mr *regions;
static uint32_t keys;

struct abi_pd *ibv_alloc_pd(struct abi_context *c)
{
	struct abi_pd *pd = object(sizeof *pd);

	if (pd)
		pd->context = c;
	return pd;
}

int ibv_dealloc_pd(struct abi_pd *pd) { return done(pd); }

struct abi_mr *ibv_reg_mr_iova2(struct abi_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct mr *m = object(sizeof *m);

	if (!m)
		return NULL;
	pthread_mutex_lock(&lock);
	keys++;
	*m = (struct mr){{.context = pd->context, .pd = pd, .addr = addr, .length = length, .lkey = keys, .rkey = keys}, iova, access, regions};
	regions = m;
	pthread_mutex_unlock(&lock);
	return &m->mr;
}

int ibv_dereg_mr(struct abi_mr *mr)
{
	int ret = result();

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	for (struct mr **at = &regions; *at; at = &(*at)->next)
		if (&(*at)->mr == mr) {
			*at = (*at)->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	free(mr);
	return 0;
}

void *reach(uint32_t key, uint64_t addr, size_t length, unsigned int access)
{
	struct mr *m = regions;

	if (!key)
		return (void *)(uintptr_t)addr;
	while (m && m->mr.lkey != key)
		m = m->next;
	if (!m || (m->access & access) != access || addr < m->iova || length > m->mr.length || addr - m->iova > m->mr.length - length)
		return NULL;
	return (char *)m->mr.addr + (addr - m->iova);
}

struct abi_ah *ibv_create_ah(struct abi_pd *pd, struct abi_ah_attr *a)
{
	return object(1);
}

struct abi_ah *ibv_create_ah_from_wc(struct abi_pd *pd, struct abi_wc *wc, struct abi_grh *grh, uint8_t port)
{
	return ibv_create_ah(pd, NULL);
}

int ibv_init_ah_from_wc(struct abi_context *c, uint8_t port, struct abi_wc *wc, struct abi_grh *grh, struct abi_ah_attr *a)
{
	*a = (struct abi_ah_attr){.port_num = port};
	return result();
}

int ibv_destroy_ah(struct abi_ah *ah) { return done(ah); }
