/*
 * A libibverbs.so.1 with one device, stub0, which has no hardware and moves no data. Tests
 * load it in place of the real one, to make happen what a device does rarely:
 *
 *   - a CQ with a channel raises an event each time it is armed;
 *   - with STUB_FAIL=errno in the environment, what is created is NULL and all else
 *     returns -1, with that errno;
 *   - with STUB_RETURN=n, what returns an int returns n; a count of entries is never above 0;
 *   - with STUB_REUSE=1, destroy_cq returns only after its memory has become another CQ
 *     that has been armed, or after 10 s.
 */
#define _GNU_SOURCE
#include "../abi.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static struct abi_device device = {.name = "stub0", .dev_name = "uverbs99"};
static struct abi_device *list[] = {&device, NULL};

struct channel {
	struct abi_comp_channel c;
	int writer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct abi_cq *spare; /* the CQ that was destroyed last */
static struct abi_cq *armed; /* the CQ that was armed last */
static unsigned long arms;

static int number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

/* result is what a verb that returns an int returns. */
static int result(void)
{
	int err = number("STUB_FAIL");

	errno = err;
	return err ? -1 : number("STUB_RETURN");
}

/* object makes what a verb creates. */
static void *object(size_t size)
{
	int err = number("STUB_FAIL");

	errno = err;
	return err ? NULL : calloc(1, size);
}

static int done(void *object)
{
	int ret = result();

	if (!ret)
		free(object);
	return ret;
}

struct abi_device **ibv_get_device_list(int *n)
{
	*n = 1;
	return list;
}

void ibv_free_device_list(struct abi_device **l) { (void)l; }

/* Operations of the context. */

static int poll_cq(struct abi_cq *cq, int n, struct abi_wc *wc)
{
	(void)cq, (void)n, (void)wc;
	return 0;
}

static int req_notify_cq(struct abi_cq *cq, int solicited_only)
{
	struct channel *ch = (struct channel *)cq->channel;
	int ret = result();

	(void)solicited_only;
	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	armed = cq;
	arms++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (ch && write(ch->writer, &cq, sizeof cq) != sizeof cq)
		return errno;
	return 0;
}

static int post_send(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad)
{
	(void)qp;
	*bad = wr;
	return result();
}

static int post_recv(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	(void)qp;
	*bad = wr;
	return result();
}

static int post_srq_recv(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	(void)srq;
	*bad = wr;
	return result();
}

static struct abi_xrcd *open_xrcd(struct abi_context *c, struct abi_xrcd_init_attr *init)
{
	struct abi_xrcd *x = object(sizeof *x);

	(void)init;
	if (x)
		x->context = c;
	return x;
}

static int close_xrcd(struct abi_xrcd *x) { return done(x); }

static struct abi_srq *create_srq_ex(struct abi_context *c, struct abi_srq_init_attr_ex *init)
{
	struct abi_srq *s = object(sizeof *s);

	(void)init;
	if (s)
		s->context = c;
	return s;
}

static int get_srq_num(struct abi_srq *srq, uint32_t *num)
{
	(void)srq;
	*num = 1;
	return result();
}

static struct abi_qp *create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init)
{
	struct abi_qp *q = object(sizeof *q);

	(void)init;
	if (q)
		q->context = c;
	return q;
}

static struct abi_qp *open_qp(struct abi_context *c, struct abi_qp_open_attr *open)
{
	(void)open;
	return create_qp_ex(c, NULL);
}

#define BEFORE 512 /* room for operations in front of the context */

struct abi_context *ibv_open_device(struct abi_device *d)
{
	char *memory = calloc(1, BEFORE + sizeof(struct abi_context));
	struct abi_context *c = (struct abi_context *)(memory + BEFORE);
	int fds[2];

	if (!memory || pipe(fds))
		return NULL;
	c->device = d;
	c->async_fd = fds[0];
	c->cmd_fd = fds[1];
	c->num_comp_vectors = 1;
	c->abi_compat = (void *)UINTPTR_MAX;
	c->ops.poll_cq = poll_cq;
	c->ops.req_notify_cq = req_notify_cq;
	c->ops.post_send = post_send;
	c->ops.post_recv = post_recv;
	c->ops.post_srq_recv = post_srq_recv;
	*(size_t *)(memory + BEFORE - sizeof(size_t)) = BEFORE + sizeof *c;
	*(void **)(memory + BEFORE - ABI_OPEN_XRCD) = open_xrcd;
	*(void **)(memory + BEFORE - ABI_CLOSE_XRCD) = close_xrcd;
	*(void **)(memory + BEFORE - ABI_CREATE_SRQ_EX) = create_srq_ex;
	*(void **)(memory + BEFORE - ABI_GET_SRQ_NUM) = get_srq_num;
	*(void **)(memory + BEFORE - ABI_CREATE_QP_EX) = create_qp_ex;
	*(void **)(memory + BEFORE - ABI_OPEN_QP) = open_qp;
	return c;
}

int ibv_close_device(struct abi_context *c)
{
	close(c->async_fd);
	close(c->cmd_fd);
	memset(c, 0xa5, sizeof *c); /* who uses it still, crashes */
	free((char *)c - BEFORE);
	return 0;
}

/* Completion channels and queues. */

struct abi_comp_channel *ibv_create_comp_channel(struct abi_context *c)
{
	struct channel *ch = object(sizeof *ch);
	int fds[2];

	if (!ch || pipe(fds))
		return NULL;
	ch->c.context = c;
	ch->c.fd = fds[0];
	ch->writer = fds[1];
	return &ch->c;
}

int ibv_destroy_comp_channel(struct abi_comp_channel *c)
{
	struct channel *ch = (struct channel *)c;

	if (c->refcnt)
		return EBUSY;
	close(c->fd);
	close(ch->writer);
	return done(ch);
}

struct abi_cq *ibv_create_cq(struct abi_context *c, int cqe, void *cq_context, struct abi_comp_channel *channel, int vector)
{
	struct abi_cq *cq;

	(void)vector;
	pthread_mutex_lock(&lock);
	cq = spare;
	spare = NULL;
	pthread_mutex_unlock(&lock);
	if (!cq)
		cq = object(sizeof *cq);
	if (!cq)
		return NULL;
	*cq = (struct abi_cq){.context = c, .channel = channel, .cq_context = cq_context, .cqe = cqe};
	if (channel)
		__atomic_add_fetch(&channel->refcnt, 1, __ATOMIC_SEQ_CST);
	return cq;
}

int ibv_destroy_cq(struct abi_cq *cq)
{
	struct abi_cq *old;
	struct timespec end;
	unsigned long before;
	int ret = result();

	if (ret)
		return ret;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 10;
	if (cq->channel)
		__atomic_sub_fetch(&cq->channel->refcnt, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&lock);
	old = spare;
	spare = cq;
	before = arms;
	while (number("STUB_REUSE") && !(arms > before && armed == cq))
		if (pthread_cond_timedwait(&changed, &lock, &end))
			break;
	pthread_mutex_unlock(&lock);
	free(old);
	return 0;
}

int ibv_resize_cq(struct abi_cq *cq, int cqe)
{
	(void)cq, (void)cqe;
	return result();
}

int ibv_get_cq_event(struct abi_comp_channel *channel, struct abi_cq **cq, void **cq_context)
{
	if (read(channel->fd, cq, sizeof *cq) != sizeof *cq)
		return -1;
	*cq_context = NULL;
	return 0;
}

void ibv_ack_cq_events(struct abi_cq *cq, unsigned int n)
{
	(void)n;
	*(volatile int *)&cq->cqe; /* crashes on what is no CQ */
}

/* Everything else. */

struct abi_pd *ibv_alloc_pd(struct abi_context *c)
{
	struct abi_context **pd = object(sizeof *pd);

	if (pd)
		*pd = c;
	return (struct abi_pd *)pd;
}

int ibv_dealloc_pd(struct abi_pd *pd) { return done(pd); }

struct abi_mr *ibv_reg_mr_iova2(struct abi_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct abi_mr *mr = object(sizeof *mr);

	(void)iova, (void)access;
	if (mr)
		*mr = (struct abi_mr){.pd = pd, .addr = addr, .length = length, .lkey = 1, .rkey = 2};
	return mr;
}

int ibv_dereg_mr(struct abi_mr *mr) { return done(mr); }

struct abi_qp *ibv_create_qp(struct abi_pd *pd, struct abi_qp_init_attr *init)
{
	struct abi_qp *q = object(sizeof *q);

	if (q)
		*q = (struct abi_qp){.context = *(struct abi_context **)pd, .pd = pd, .qp_num = 17, .qp_type = init->qp_type};
	return q;
}

int ibv_destroy_qp(struct abi_qp *qp) { return done(qp); }

/* The attributes that were set last are what every query answers. */
static struct abi_qp_attr last;

int ibv_modify_qp(struct abi_qp *qp, struct abi_qp_attr *a, int mask)
{
	(void)qp, (void)mask;
	last = *a;
	return result();
}

int ibv_query_qp(struct abi_qp *qp, struct abi_qp_attr *a, int mask, struct abi_qp_init_attr *init)
{
	(void)mask;
	*a = last;
	init->qp_type = qp->qp_type;
	return result();
}

struct abi_srq *ibv_create_srq(struct abi_pd *pd, struct abi_srq_init_attr *init)
{
	(void)init;
	return create_srq_ex(*(struct abi_context **)pd, NULL);
}

int ibv_destroy_srq(struct abi_srq *srq) { return done(srq); }

struct abi_ah *ibv_create_ah(struct abi_pd *pd, struct abi_ah_attr *a)
{
	(void)pd, (void)a;
	return object(8);
}

struct abi_ah *ibv_create_ah_from_wc(struct abi_pd *pd, struct abi_wc *wc, struct abi_grh *grh, uint8_t port)
{
	(void)pd, (void)wc, (void)grh, (void)port;
	return object(8);
}

int ibv_destroy_ah(struct abi_ah *ah) { return done(ah); }

int ibv_get_async_event(struct abi_context *c, struct abi_async_event *event)
{
	return read(c->async_fd, event, sizeof *event) == sizeof *event ? 0 : -1;
}

int ibv_query_device(struct abi_context *c, struct abi_device_attr *a)
{
	(void)c;
	*a = (struct abi_device_attr){.phys_port_cnt = 1, .device_cap_flags = 1 << 20 /* XRC */};
	return result();
}

int ibv_query_port(struct abi_context *c, uint8_t port, struct abi_port_attr *a)
{
	(void)c, (void)port;
	*a = (struct abi_port_attr){.state = 4 /* ACTIVE */, .gid_tbl_len = 1};
	return result();
}

/* Verbs whose first argument must be there, and which do nothing with it. */
#define NOTHING(name, ...) \
	int ibv_##name(void *object, ##__VA_ARGS__) \
	{ \
		*(volatile char *)object; \
		return result(); \
	}

NOTHING(query_pkey, uint8_t port, int index, uint16_t *pkey)
NOTHING(get_pkey_index, uint8_t port, uint16_t pkey)
NOTHING(attach_mcast, const void *gid, uint16_t lid)
NOTHING(detach_mcast, const void *gid, uint16_t lid)
NOTHING(modify_srq, void *a, int mask)
NOTHING(query_srq, void *a)
NOTHING(init_ah_from_wc, uint8_t port, void *wc, void *grh, void *a)
NOTHING(query_qp_data_in_order, uint32_t op, uint32_t flags)

void ibv_ack_async_event(struct abi_async_event *event) { (void)event; }

int _ibv_query_gid_ex(struct abi_context *c, uint32_t port, uint32_t index, struct abi_gid_entry *e, uint32_t flags, size_t size)
{
	(void)c, (void)flags, (void)size;
	*e = (struct abi_gid_entry){.gid.raw = {0xfe, 0x80, [15] = 1}, .gid_index = index, .port_num = port, .gid_type = 2};
	return result();
}

ssize_t _ibv_query_gid_table(struct abi_context *c, struct abi_gid_entry *e, size_t max, uint32_t flags, size_t size)
{
	int ret = result();

	(void)c, (void)e, (void)max, (void)flags, (void)size;
	return ret < 0 ? ret : 0; /* no entries */
}
