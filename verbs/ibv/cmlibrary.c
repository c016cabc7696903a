#define _GNU_SOURCE
#include "cmlibrary.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define POINTER(result, name, parameters, arguments) static result(*p_##name) parameters;
LIBRDMACM(POINTER)
#undef POINTER

#define CALL(result, name, parameters, arguments) \
	result cm_##name parameters { return p_##name arguments; }
LIBRDMACM(CALL)
#undef CALL

static char problem[256];

static void *find(const char *name)
{
	void *f = dlsym(RTLD_DEFAULT, name);

	if (!f && !problem[0])
		snprintf(problem, sizeof problem, "librdmacm.so.1 lacks %s: rdma-core 32 or later is needed", name);
	return f;
}

const char *cm_load(void)
{
	if (!dlopen("librdmacm.so.1", RTLD_NOW | RTLD_GLOBAL)) {
		snprintf(problem, sizeof problem, "%s", dlerror());
		return problem;
	}
#define FIND(result, name, parameters, arguments) *(void **)&p_##name = find("rdma_" #name);
	LIBRDMACM(FIND)
#undef FIND
	return problem[0] ? problem : NULL;
}

#define RDMA_PS_UDP 0x0111
#define RDMA_CM_EVENT_ESTABLISHED 9

void cm_next(struct abi_event_channel *c, int timeout_ms, struct cm_news *news)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN};
	struct abi_cm_event *e;
	int ready = poll(&p, 1, timeout_ms);

	memset(news, 0, sizeof *news);
	if (ready == 0 || (ready < 0 && errno == EINTR)) {
		news->err = ETIMEDOUT;
		return;
	}
	if (ready < 0 || cm_get_cm_event(c, &e)) {
		news->err = errno;
		return;
	}
	news->event = e->event;
	news->status = e->status;
	news->id = e->id;
	/* Both kinds of parameters begin with the private data. */
	if (e->param.conn.private_data) {
		news->private_data_len = e->param.conn.private_data_len;
		memcpy(news->private_data, e->param.conn.private_data, e->param.conn.private_data_len);
	}
	if (e->id->ps == RDMA_PS_UDP && e->event == RDMA_CM_EVENT_ESTABLISHED) {
		news->ah_attr = e->param.ud.ah_attr;
		news->qp_num = e->param.ud.qp_num;
		news->qkey = e->param.ud.qkey;
	}
	cm_ack_cm_event(e);
}

struct abi_cm_id *cm_new(uint32_t space)
{
	struct abi_event_channel *c = cm_create_event_channel();
	struct abi_cm_id *id;

	if (!c)
		return NULL;
	if (cm_create_id(c, &id, NULL, space)) {
		int err = errno;

		cm_destroy_event_channel(c);
		errno = err;
		return NULL;
	}
	return id;
}

int cm_own(struct abi_cm_id *id)
{
	struct abi_event_channel *c = cm_create_event_channel();

	if (!c)
		return -1;
	if (cm_migrate_id(id, c)) {
		int err = errno;

		cm_destroy_event_channel(c);
		errno = err;
		return -1;
	}
	return 0;
}

int cm_free(struct abi_cm_id *id)
{
	struct abi_event_channel *c = id->channel;
	int ret = cm_destroy_id(id);
	int err = errno;

	if (c)
		cm_destroy_event_channel(c);
	errno = err;
	return ret;
}

static struct abi_conn_param param_of(struct agreed *a)
{
	return (struct abi_conn_param){
		.private_data = a->private_data,
		.private_data_len = a->private_data_len,
		.responder_resources = a->rd_atomic,
		.initiator_depth = a->rd_atomic,
		.retry_count = a->retry_count,
		.rnr_retry_count = a->rnr_retry_count,
		.qp_num = a->qp_num,
	};
}

int cm_connect_with(struct abi_cm_id *id, struct agreed *a)
{
	struct abi_conn_param p = param_of(a);

	return cm_connect(id, &p);
}

int cm_accept_with(struct abi_cm_id *id, struct agreed *a)
{
	struct abi_conn_param p = param_of(a);

	return cm_accept(id, &p);
}
