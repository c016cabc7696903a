/* The functions of libibverbs, opened at run time. */
#ifndef IBPERF_LIBRARY_H
#define IBPERF_LIBRARY_H

#include <sys/types.h>

#include "abi.h"

/*
 * Every function that the library exports and this package calls: its result, name,
 * parameters and arguments. Calls go through ib_NAME, as in ib_alloc_pd. They are
 * those of a program linked against the library, so that a library that is loaded
 * before (LD_PRELOAD) can answer in its place.
 */
#define LIBIBVERBS(F) \
	F(struct abi_device **, get_device_list, (int *n), (n)) \
	F(void, free_device_list, (struct abi_device **list), (list)) \
	F(struct abi_context *, open_device, (struct abi_device *d), (d)) \
	F(int, close_device, (struct abi_context *c), (c)) \
	F(int, query_device, (struct abi_context *c, struct abi_device_attr *a), (c, a)) \
	F(int, query_port, (struct abi_context *c, uint8_t port, struct abi_port_attr *a), (c, port, a)) \
	F(int, query_pkey, (struct abi_context *c, uint8_t port, int index, uint16_t *pkey), (c, port, index, pkey)) \
	F(int, get_pkey_index, (struct abi_context *c, uint8_t port, uint16_t pkey), (c, port, pkey)) \
	F(struct abi_pd *, alloc_pd, (struct abi_context *c), (c)) \
	F(int, dealloc_pd, (struct abi_pd *pd), (pd)) \
	F(struct abi_mr *, reg_mr_iova2, \
	  (struct abi_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access), \
	  (pd, addr, length, iova, access)) \
	F(int, rereg_mr, \
	  (struct abi_mr *mr, int flags, struct abi_pd *pd, void *addr, size_t length, int access), \
	  (mr, flags, pd, addr, length, access)) \
	F(int, dereg_mr, (struct abi_mr *mr), (mr)) \
	F(struct abi_comp_channel *, create_comp_channel, (struct abi_context *c), (c)) \
	F(int, destroy_comp_channel, (struct abi_comp_channel *channel), (channel)) \
	F(struct abi_cq *, create_cq, \
	  (struct abi_context *c, int cqe, void *cq_context, struct abi_comp_channel *channel, int vector), \
	  (c, cqe, cq_context, channel, vector)) \
	F(int, resize_cq, (struct abi_cq *cq, int cqe), (cq, cqe)) \
	F(int, destroy_cq, (struct abi_cq *cq), (cq)) \
	F(int, get_cq_event, (struct abi_comp_channel *channel, struct abi_cq **cq, void **cq_context), \
	  (channel, cq, cq_context)) \
	F(void, ack_cq_events, (struct abi_cq *cq, unsigned int n), (cq, n)) \
	F(struct abi_qp *, create_qp, (struct abi_pd *pd, struct abi_qp_init_attr *init), (pd, init)) \
	F(int, modify_qp, (struct abi_qp *qp, struct abi_qp_attr *a, int mask), (qp, a, mask)) \
	F(int, query_qp, (struct abi_qp *qp, struct abi_qp_attr *a, int mask, struct abi_qp_init_attr *init), \
	  (qp, a, mask, init)) \
	F(int, destroy_qp, (struct abi_qp *qp), (qp)) \
	F(struct abi_qp_ex *, qp_to_qp_ex, (struct abi_qp *qp), (qp)) \
	F(int, attach_mcast, (struct abi_qp *qp, const union abi_gid *gid, uint16_t lid), (qp, gid, lid)) \
	F(int, detach_mcast, (struct abi_qp *qp, const union abi_gid *gid, uint16_t lid), (qp, gid, lid)) \
	F(struct abi_srq *, create_srq, (struct abi_pd *pd, struct abi_srq_init_attr *init), (pd, init)) \
	F(int, modify_srq, (struct abi_srq *srq, struct abi_srq_attr *a, int mask), (srq, a, mask)) \
	F(int, query_srq, (struct abi_srq *srq, struct abi_srq_attr *a), (srq, a)) \
	F(int, destroy_srq, (struct abi_srq *srq), (srq)) \
	F(struct abi_ah *, create_ah, (struct abi_pd *pd, struct abi_ah_attr *a), (pd, a)) \
	F(struct abi_ah *, create_ah_from_wc, \
	  (struct abi_pd *pd, struct abi_wc *wc, struct abi_grh *grh, uint8_t port), (pd, wc, grh, port)) \
	F(int, init_ah_from_wc, \
	  (struct abi_context *c, uint8_t port, struct abi_wc *wc, struct abi_grh *grh, struct abi_ah_attr *a), \
	  (c, port, wc, grh, a)) \
	F(int, destroy_ah, (struct abi_ah *ah), (ah)) \
	F(int, get_async_event, (struct abi_context *c, struct abi_async_event *event), (c, event)) \
	F(void, ack_async_event, (struct abi_async_event *event), (event))

#define DECLARE(result, name, parameters, arguments) result ib_##name parameters;
LIBIBVERBS(DECLARE)
#undef DECLARE

/* Exported under names of their own behind inline functions: ibv_query_gid_ex and _table. */
int ib_query_gid_ex(struct abi_context *c, uint32_t port, uint32_t index, struct abi_gid_entry *entry);
ssize_t ib_query_gid_table(struct abi_context *c, struct abi_gid_entry *entries, size_t max);

/* Not in every library: -1 if it lacks the call, see has_query_qp_data_in_order. */
int ib_query_qp_data_in_order(struct abi_qp *qp, uint32_t op, uint32_t flags);

/* Not in every library: NULL with EOPNOTSUPP if it lacks the call. */
struct abi_mr *ib_reg_dmabuf_mr(struct abi_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);

/* Inline functions of the headers, which ask the context for the newest form. */
int ib_query_device_ex(struct abi_context *c, struct abi_device_attr_ex *a);
int ib_query_port_ex(struct abi_context *c, uint8_t port, struct abi_port_attr *a);

/* Inline functions, too, which are EOPNOTSUPP where the context lacks them. */
struct abi_xrcd *ib_open_xrcd(struct abi_context *c, struct abi_xrcd_init_attr *init);
int ib_close_xrcd(struct abi_xrcd *xrcd);
struct abi_srq *ib_create_srq_ex(struct abi_context *c, struct abi_srq_init_attr_ex *init);
int ib_get_srq_num(struct abi_srq *srq, uint32_t *num);
struct abi_qp *ib_create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init);
struct abi_qp *ib_open_qp(struct abi_context *c, struct abi_qp_open_attr *open);
struct abi_cq_ex *ib_create_cq_ex(struct abi_context *c, struct abi_cq_init_attr_ex *init);
int ib_modify_cq(struct abi_cq *cq, struct abi_modify_cq_attr *a);
struct abi_td *ib_alloc_td(struct abi_context *c, struct abi_td_init_attr *init);
int ib_dealloc_td(struct abi_td *td);
struct abi_pd *ib_alloc_parent_domain(struct abi_context *c, struct abi_parent_domain_init_attr *init);
int ib_advise_mr(struct abi_context *c, struct abi_pd *pd, uint32_t advice, uint32_t flags, struct abi_sge *sges, uint32_t n);

/* Inline functions of memory windows; alloc_mw is EOPNOTSUPP where the device has none. */
struct abi_mw *ib_alloc_mw(struct abi_context *c, struct abi_pd *pd, uint32_t type);
int ib_bind_mw(struct abi_qp *qp, struct abi_mw *mw, struct abi_mw_bind *bind);
int ib_dealloc_mw(struct abi_mw *mw);

/* load opens libibverbs. It returns NULL, or the reason of the failure. */
const char *ib_load(void);

/* The files that provide the library, and the query of data order (NULL: none does). */
const char *ib_library_file(void);
const char *ib_order_file(void);

/*
 * IF_FOUND defines ib_NAME, which calls the function of the same type at an address. If the address is NULL, it
 * returns failed, with errno EOPNOTSUPP.
 */
#define IF_FOUND(result, failed, name, address, parameters, arguments) \
	result ib_##name parameters \
	{ \
		result(*name) parameters; \
		*(void **)&name = (address); \
		if (name) \
			return name arguments; \
		errno = EOPNOTSUPP; \
		return failed; \
	}

#endif
