/* The functions of libibverbs, opened at run time. */
#ifndef IBPERF_LIBRARY_H
#define IBPERF_LIBRARY_H

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
	F(struct abi_pd *, alloc_pd, (struct abi_context *c), (c)) \
	F(int, dealloc_pd, (struct abi_pd *pd), (pd)) \
	F(struct abi_mr *, reg_mr_iova2, \
	  (struct abi_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access), \
	  (pd, addr, length, iova, access)) \
	F(int, dereg_mr, (struct abi_mr *mr), (mr)) \
	F(struct abi_comp_channel *, create_comp_channel, (struct abi_context *c), (c)) \
	F(int, destroy_comp_channel, (struct abi_comp_channel *channel), (channel)) \
	F(struct abi_cq *, create_cq, \
	  (struct abi_context *c, int cqe, void *cq_context, struct abi_comp_channel *channel, int vector), \
	  (c, cqe, cq_context, channel, vector)) \
	F(int, destroy_cq, (struct abi_cq *cq), (cq)) \
	F(int, get_cq_event, (struct abi_comp_channel *channel, struct abi_cq **cq, void **cq_context), \
	  (channel, cq, cq_context)) \
	F(void, ack_cq_events, (struct abi_cq *cq, unsigned int n), (cq, n)) \
	F(struct abi_qp *, create_qp, (struct abi_pd *pd, struct abi_qp_init_attr *init), (pd, init)) \
	F(int, modify_qp, (struct abi_qp *qp, struct abi_qp_attr *a, int mask), (qp, a, mask)) \
	F(int, query_qp, (struct abi_qp *qp, struct abi_qp_attr *a, int mask, struct abi_qp_init_attr *init), \
	  (qp, a, mask, init)) \
	F(int, destroy_qp, (struct abi_qp *qp), (qp)) \
	F(int, get_async_event, (struct abi_context *c, struct abi_async_event *event), (c, event)) \
	F(void, ack_async_event, (struct abi_async_event *event), (event))

#define DECLARE(result, name, parameters, arguments) result ib_##name parameters;
LIBIBVERBS(DECLARE)
#undef DECLARE

/* Exported under a name of its own behind an inline function: ibv_query_gid_ex. */
int ib_query_gid_ex(struct abi_context *c, uint32_t port, uint32_t index, struct abi_gid_entry *entry);

/* Not in every library: -1 if it lacks the call, see has_query_qp_data_in_order. */
int ib_query_qp_data_in_order(struct abi_qp *qp, uint32_t op, uint32_t flags);

/* Inline functions of the headers, which ask the context for the newest form. */
int ib_query_device_ex(struct abi_context *c, struct abi_device_attr_ex *a);
int ib_query_port_ex(struct abi_context *c, uint8_t port, struct abi_port_attr *a);

/* load opens libibverbs; it returns NULL, or why that cannot be. */
const char *ib_load(void);

/* The files that provide the library, and the query of data order (NULL: none does). */
const char *ib_library_file(void);
const char *ib_order_file(void);

#endif
