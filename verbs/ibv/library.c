#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define POINTER(result, name, parameters, arguments) static result(*p_##name) parameters;
LIBIBVERBS(POINTER)
#undef POINTER

#define CALL(result, name, parameters, arguments) \
	result ib_##name parameters { return p_##name arguments; }
LIBIBVERBS(CALL)
#undef CALL

static int (*p_query_gid_ex)(struct abi_context *, uint32_t, uint32_t, struct abi_gid_entry *, uint32_t, size_t);
static ssize_t (*p_query_gid_table)(struct abi_context *, struct abi_gid_entry *, size_t, uint32_t, size_t);
static int (*p_query_qp_data_in_order)(struct abi_qp *, uint32_t, uint32_t);
static struct abi_mr *(*p_reg_dmabuf_mr)(struct abi_pd *, uint64_t, size_t, uint64_t, int, int);

static char problem[256];

/*
 * find looks a function up where a program linked against the library would find
 * it: in what was loaded before it first.
 */
static void *find(const char *name, int needed)
{
	void *f = dlsym(RTLD_DEFAULT, name);

	if (!f && needed && !problem[0])
		snprintf(problem, sizeof problem, "libibverbs.so.1 lacks %s: rdma-core 32 or later is needed", name);
	return f;
}

const char *ib_load(void)
{
	if (!dlopen("libibverbs.so.1", RTLD_NOW | RTLD_GLOBAL)) {
		snprintf(problem, sizeof problem, "%s", dlerror());
		return problem;
	}
#define FIND(result, name, parameters, arguments) \
	*(void **)&p_##name = find("ibv_" #name, 1);
	LIBIBVERBS(FIND)
#undef FIND
	*(void **)&p_query_gid_ex = find("_ibv_query_gid_ex", 1);
	*(void **)&p_query_gid_table = find("_ibv_query_gid_table", 1);
	*(void **)&p_query_qp_data_in_order = find("ibv_query_qp_data_in_order", 0);
	*(void **)&p_reg_dmabuf_mr = find("ibv_reg_dmabuf_mr", 0);
	return problem[0] ? problem : NULL;
}

static const char *file_of(void *symbol)
{
	Dl_info info;

	return symbol && dladdr(symbol, &info) ? info.dli_fname : NULL;
}

const char *ib_library_file(void)
{
	return file_of(*(void **)&p_get_device_list);
}

const char *ib_order_file(void)
{
	return file_of(*(void **)&p_query_qp_data_in_order);
}

int ib_query_gid_ex(struct abi_context *c, uint32_t port, uint32_t index, struct abi_gid_entry *entry)
{
	return p_query_gid_ex(c, port, index, entry, 0, sizeof *entry);
}

ssize_t ib_query_gid_table(struct abi_context *c, struct abi_gid_entry *entries, size_t max)
{
	return p_query_gid_table(c, entries, max, 0, sizeof *entries);
}

int ib_query_qp_data_in_order(struct abi_qp *qp, uint32_t op, uint32_t flags)
{
	return p_query_qp_data_in_order ? p_query_qp_data_in_order(qp, op, flags) : -1;
}

struct abi_mr *ib_reg_dmabuf_mr(struct abi_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	if (p_reg_dmabuf_mr)
		return p_reg_dmabuf_mr(pd, offset, length, iova, fd, access);
	errno = EOPNOTSUPP;
	return NULL;
}

/* operation returns the operation at an offset in front of the context, or NULL. */
static void *operation(struct abi_context *c, size_t distance)
{
	char *base = (char *)c;

	if (c->abi_compat != (void *)UINTPTR_MAX || *(size_t *)(base - sizeof(size_t)) < distance + sizeof *c)
		return NULL;
	return *(void **)(base - distance);
}

int ib_query_device_ex(struct abi_context *c, struct abi_device_attr_ex *a)
{
	int (*query)(struct abi_context *, const void *, struct abi_device_attr_ex *, size_t);
	int err = EOPNOTSUPP;

	*(void **)&query = operation(c, ABI_QUERY_DEVICE_EX);
	if (query)
		err = query(c, NULL, a, sizeof *a);
	if (err == EOPNOTSUPP || err == ENOSYS) {
		memset(a, 0, sizeof *a);
		err = ib_query_device(c, &a->orig_attr);
	}
	return err;
}

int ib_query_port_ex(struct abi_context *c, uint8_t port, struct abi_port_attr *a)
{
	int (*query)(struct abi_context *, uint8_t, struct abi_port_attr *, size_t);

	*(void **)&query = operation(c, ABI_QUERY_PORT);
	memset(a, 0, sizeof *a);
	return query ? query(c, port, a, sizeof *a) : ib_query_port(c, port, a);
}

/*
 * Newer operations, each called as one of the same type of the context that its
 * first argument leads to.
 */
#define OPERATION(result, failed, name, distance, context, parameters, arguments) \
	IF_FOUND(result, failed, name, operation(context, distance), parameters, arguments)

OPERATION(struct abi_xrcd *, NULL, open_xrcd, ABI_OPEN_XRCD, c,
	  (struct abi_context *c, struct abi_xrcd_init_attr *init), (c, init))
OPERATION(int, EOPNOTSUPP, close_xrcd, ABI_CLOSE_XRCD, xrcd->context, (struct abi_xrcd *xrcd), (xrcd))
OPERATION(struct abi_srq *, NULL, create_srq_ex, ABI_CREATE_SRQ_EX, c,
	  (struct abi_context *c, struct abi_srq_init_attr_ex *init), (c, init))
OPERATION(int, EOPNOTSUPP, get_srq_num, ABI_GET_SRQ_NUM, srq->context, (struct abi_srq *srq, uint32_t *num), (srq, num))
OPERATION(struct abi_qp *, NULL, create_qp_ex, ABI_CREATE_QP_EX, c,
	  (struct abi_context *c, struct abi_qp_init_attr_ex *init), (c, init))
OPERATION(struct abi_qp *, NULL, open_qp, ABI_OPEN_QP, c,
	  (struct abi_context *c, struct abi_qp_open_attr *open), (c, open))
OPERATION(struct abi_cq_ex *, NULL, create_cq_ex, ABI_CREATE_CQ_EX, c,
	  (struct abi_context *c, struct abi_cq_init_attr_ex *init), (c, init))
OPERATION(int, EOPNOTSUPP, modify_cq, ABI_MODIFY_CQ, cq->context, (struct abi_cq *cq, struct abi_modify_cq_attr *a), (cq, a))
OPERATION(struct abi_td *, NULL, alloc_td, ABI_ALLOC_TD, c, (struct abi_context *c, struct abi_td_init_attr *init), (c, init))
OPERATION(int, EOPNOTSUPP, dealloc_td, ABI_DEALLOC_TD, td->context, (struct abi_td *td), (td))
OPERATION(struct abi_pd *, NULL, alloc_parent_domain, ABI_ALLOC_PARENT_DOMAIN, c,
	  (struct abi_context *c, struct abi_parent_domain_init_attr *init), (c, init))

int ib_advise_mr(struct abi_context *c, struct abi_pd *pd, uint32_t advice, uint32_t flags, struct abi_sge *sges, uint32_t n)
{
	int (*advise)(struct abi_pd *, uint32_t, uint32_t, struct abi_sge *, uint32_t);

	*(void **)&advise = operation(c, ABI_ADVISE_MR);
	return advise ? advise(pd, advice, flags, sges, n) : EOPNOTSUPP;
}

struct abi_mw *ib_alloc_mw(struct abi_context *c, struct abi_pd *pd, uint32_t type)
{
	if (c->ops.alloc_mw)
		return c->ops.alloc_mw(pd, type);
	errno = EOPNOTSUPP;
	return NULL;
}

int ib_bind_mw(struct abi_qp *qp, struct abi_mw *mw, struct abi_mw_bind *bind)
{
	if (mw->type != 1)
		return EINVAL;
	if (mw->pd != bind->info.mr->pd)
		return EPERM;
	return mw->context->ops.bind_mw(qp, mw, bind);
}

int ib_dealloc_mw(struct abi_mw *mw)
{
	return mw->context->ops.dealloc_mw(mw);
}
