/*
 * Calls of rdma-core 59 and later: DMA handles, the effective speed of a port, completion counters.
 * With STUB_OLD, a macro of the compiler, the library does not export them.
 */
#include "stub.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>

#ifndef STUB_OLD

int ibv_query_port_speed(struct abi_context *c, uint32_t port, uint64_t *speed)
{
	*speed = number("STUB_PORT_SPEED", 0);
	return *speed ? result("query_port_speed") : EOPNOTSUPP;
}

/* hints appends a line to the file of STUB_HINTS. */
static void hints(const char *format, ...)
{
	const char *file = getenv("STUB_HINTS");
	int fd = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	va_list arguments;

	if (fd < 0)
		return;
	va_start(arguments, format);
	vdprintf(fd, format, arguments);
	va_end(arguments);
	close(fd);
}

/* refused returns the errno of the kernel with mlx5, as in uverbs_std_types_dmah.c and mlx5's dmah.c. */
static int refused(const struct abi_dmah_init_attr *init)
{
	uint32_t mask = init->comp_mask, tag = mask & (DMAH_CPU | DMAH_MEMORY);
	cpu_set_t cpus;

	if (mask & ~(DMAH_CPU | DMAH_PH | DMAH_MEMORY))
		return EOPNOTSUPP;
	if (!(mask & DMAH_PH) || init->ph > 3 || (tag && tag != (DMAH_CPU | DMAH_MEMORY)) || init->tph_mem_type > 1)
		return EINVAL;
	if (!tag || sched_getaffinity(0, sizeof cpus, &cpus))
		return 0;
	return init->cpu_id >= CPU_SETSIZE ? EINVAL : !CPU_ISSET(init->cpu_id, &cpus) ? EPERM : 0;
}

struct abi_dmah *ibv_alloc_dmah(struct abi_context *c, struct abi_dmah_init_attr *init)
{
	struct dmah *d = object("alloc_dmah", sizeof *d);
	int has = number("STUB_TPH", -1);

	if (!d)
		return NULL;
	errno = has < 0 ? EOPNOTSUPP : !has ? EPROTONOSUPPORT : refused(init);
	if (errno) {
		free(d);
		return NULL;
	}
	d->dmah.context = c;
	d->init = *init;
	return &d->dmah;
}

int ibv_dealloc_dmah(struct abi_dmah *dmah)
{
	int ret = result("dealloc_dmah");

	if (ret || ((struct dmah *)dmah)->refs)
		return ret ? ret : EBUSY;
	hints("freed\n");
	free(dmah);
	return 0;
}

struct abi_mr *ibv_reg_mr_ex(struct abi_pd *pd, struct abi_mr_init_attr *init)
{
	const struct abi_dmah_init_attr *d = &((struct dmah *)init->dmah)->init;
	struct abi_mr *m;

	if (result("reg_mr_ex"))
		return NULL;
	if (init->comp_mask != (ABI_REG_MR_MASK_IOVA | ABI_REG_MR_MASK_ADDR | ABI_REG_MR_MASK_DMAH)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	m = ibv_reg_mr_iova2(pd, init->addr, init->length, init->iova, init->access);
	if (m) {
		((struct mr *)m)->hints = (struct dmah *)init->dmah;
		__atomic_add_fetch(&((struct dmah *)init->dmah)->refs, 1, __ATOMIC_SEQ_CST);
		hints("region of %zu bytes: mask %u, CPU %u, hint %u, memory %u\n", init->length, d->comp_mask, d->cpu_id, d->ph, d->tph_mem_type);
	}
	return m;
}

enum { REMOTE_WRITES = 1 << 5 }; /* the only operations that are counted */

int _ibv_query_comp_cntr_caps(struct abi_context *c, struct abi_comp_cntr_caps *caps, size_t size)
{
	struct abi_comp_cntr_caps all = {UINT64_MAX, COUNTERS, REMOTE_WRITES};

	if (!number("STUB_COUNTERS", 0))
		return EOPNOTSUPP;
	memcpy(caps, &all, size < sizeof all ? size : sizeof all);
	return result("query_comp_cntr_caps");
}

struct abi_comp_cntr *ibv_create_comp_cntr(struct abi_context *c, struct abi_comp_cntr_init_attr *init)
{
	struct counter *k = object("create_comp_cntr", sizeof *k);
	int i = 0;

	if (!k)
		return NULL;
	errno = !number("STUB_COUNTERS", 0) ? EOPNOTSUPP : init->comp_mask || init->type || init->flags ? EINVAL : 0;
	lock(&shared->lock);
	while (i < COUNTERS && shared->counter[i].taken)
		i++;
	if (!errno && i == COUNTERS)
		errno = ENOMEM;
	if (!errno) {
		shared->counter[i].taken = 1;
		shared->counter[i].value = 0;
	}
	unlock(&shared->lock);
	if (errno) {
		free(k);
		return NULL;
	}
	k->counter = (struct abi_comp_cntr){c, i};
	return &k->counter;
}

int ibv_destroy_comp_cntr(struct abi_comp_cntr *counter)
{
	struct counter *k = (struct counter *)counter;
	int ret = result("destroy_comp_cntr");

	if (ret || k->refs)
		return ret ? ret : EBUSY;
	__atomic_store_n(&shared->counter[counter->handle].taken, 0, __ATOMIC_RELEASE);
	free(k);
	return 0;
}

int ibv_read_comp_cntr(struct abi_comp_cntr *counter, uint64_t *value)
{
	*value = __atomic_load_n(&shared->counter[counter->handle].value, __ATOMIC_ACQUIRE);
	return result("read_comp_cntr");
}

int ibv_qp_attach_comp_cntr(struct abi_qp *qp, struct abi_comp_cntr *counter, struct abi_qp_attach_comp_cntr_attr *a)
{
	struct qp *q = (struct qp *)qp;

	if (q->s->state > INIT || a->comp_mask || !a->op_mask)
		return EINVAL;
	if (a->op_mask != REMOTE_WRITES)
		return EOPNOTSUPP;
	if (q->counter)
		return EBUSY;
	q->counter = (struct counter *)counter;
	q->counter->refs++;
	q->s->counter = counter->handle + 1;
	return result("qp_attach_comp_cntr");
}

#endif
