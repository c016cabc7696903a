/* The functions of librdmacm, opened at run time as those of libibverbs are. */
#ifndef IBPERF_CMLIBRARY_H
#define IBPERF_CMLIBRARY_H

#include "abi.h"

#define LIBRDMACM(F) \
	F(struct abi_event_channel *, create_event_channel, (void), ()) \
	F(void, destroy_event_channel, (struct abi_event_channel *c), (c)) \
	F(int, create_id, (struct abi_event_channel *c, struct abi_cm_id **id, void *context, uint32_t ps), \
	  (c, id, context, ps)) \
	F(int, destroy_id, (struct abi_cm_id *id), (id)) \
	F(int, bind_addr, (struct abi_cm_id *id, void *addr), (id, addr)) \
	F(int, listen, (struct abi_cm_id *id, int backlog), (id, backlog)) \
	F(uint16_t, get_src_port, (struct abi_cm_id *id), (id)) \
	F(int, set_option, (struct abi_cm_id *id, int level, int name, void *value, size_t size), (id, level, name, value, size)) \
	F(int, resolve_addr, (struct abi_cm_id *id, void *src, void *dst, int timeout_ms), (id, src, dst, timeout_ms)) \
	F(int, resolve_route, (struct abi_cm_id *id, int timeout_ms), (id, timeout_ms)) \
	F(int, connect, (struct abi_cm_id *id, struct abi_conn_param *param), (id, param)) \
	F(int, establish, (struct abi_cm_id *id), (id)) \
	F(int, accept, (struct abi_cm_id *id, struct abi_conn_param *param), (id, param)) \
	F(int, init_qp_attr, (struct abi_cm_id *id, struct abi_qp_attr *attr, int *mask), (id, attr, mask)) \
	F(int, migrate_id, (struct abi_cm_id *id, struct abi_event_channel *c), (id, c)) \
	F(int, get_cm_event, (struct abi_event_channel *c, struct abi_cm_event **event), (c, event)) \
	F(int, ack_cm_event, (struct abi_cm_event *event), (event)) \
	F(const char *, event_str, (uint32_t event), (event))

#define DECLARE(result, name, parameters, arguments) result cm_##name parameters;
LIBRDMACM(DECLARE)
#undef DECLARE

/* cm_load opens librdmacm. It returns NULL, or the reason of the failure. */
const char *cm_load(void);

/* An event: an errno (ETIMEDOUT after the timeout), or members of struct rdma_cm_event. */
struct cm_news {
	int err;
	uint32_t event;
	int status;
	struct abi_cm_id *id;
	struct abi_ah_attr ah_attr; /* of RDMA_PS_UDP, with the next two */
	uint32_t qp_num, qkey;
	uint8_t private_data_len;
	uint8_t private_data[255];
};

/* cm_next waits for an event, copies it and acknowledges it. */
void cm_next(struct abi_event_channel *c, int timeout_ms, struct cm_news *news);

/* cm_new creates an identifier of a port space with its own channel; NULL with errno on failure. */
struct abi_cm_id *cm_new(uint32_t space);

/* cm_own moves an identifier from its listener's channel to one of its own. */
int cm_own(struct abi_cm_id *id);

/* cm_free destroys an identifier and its channel. */
int cm_free(struct abi_cm_id *id);

/* The parameters of Connect and Accept: struct rdma_conn_param with its private data. */
struct agreed {
	uint32_t qp_num;
	uint8_t rd_atomic, retry_count, rnr_retry_count;
	uint8_t private_data_len;
	uint8_t private_data[196];
};

int cm_connect_with(struct abi_cm_id *id, struct agreed *a);
int cm_accept_with(struct abi_cm_id *id, struct agreed *a);

#endif
