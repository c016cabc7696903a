/*
 * A libibverbs with one device, loopback0, for tests without RDMA. A QP receives what
 * it sends, from its SRQ's receives if it has one. An RDMA WRITE stores one byte at
 * its remote address, whatever that is, and a SEND of too many elements is an abort, so
 * that tests can make the library crash. A list is posted up to the first request with
 * an unknown opcode.
 */
#define _GNU_SOURCE
#include "../../library.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define DEPTH 64
#define ELEMENTS 4

enum { RDMA_WRITE = 0, SEND = 2, WC_SEND = 0, WC_RDMA_WRITE = 1, WC_RECV = 128 };

struct cq {
	struct abi_cq cq;
	struct abi_wc wc[2 * DEPTH];
	unsigned in, out;
};

struct receives {
	struct {
		uint64_t wr_id;
		int num_sge;
		struct abi_sge sge[ELEMENTS];
	} recv[DEPTH];
	unsigned in, out;
};

struct srq {
	struct abi_srq srq;
	struct receives receives;
};

struct qp {
	struct abi_qp qp;
	struct receives receives;
};

static struct abi_device device = {.node_type = 1, .name = "loopback0", .dev_name = "uverbs0"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void complete(struct abi_cq *cq, uint64_t wr_id, uint32_t opcode, uint32_t byte_len)
{
	struct cq *c = (struct cq *)cq;

	c->wc[c->in++ % (2 * DEPTH)] = (struct abi_wc){.wr_id = wr_id, .opcode = opcode, .byte_len = byte_len};
}

static int poll_cq(struct abi_cq *cq, int n, struct abi_wc *wc)
{
	struct cq *c = (struct cq *)cq;
	int got;

	pthread_mutex_lock(&lock);
	for (got = 0; got < n && c->out != c->in; got++)
		wc[got] = c->wc[c->out++ % (2 * DEPTH)];
	pthread_mutex_unlock(&lock);
	return got;
}

static int req_notify_cq(struct abi_cq *cq, int solicited_only)
{
	(void)cq, (void)solicited_only;
	return 0;
}

static int post(struct receives *r, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	pthread_mutex_lock(&lock);
	for (; wr && r->in - r->out < DEPTH && wr->num_sge <= ELEMENTS; wr = wr->next, r->in++) {
		r->recv[r->in % DEPTH].wr_id = wr->wr_id;
		r->recv[r->in % DEPTH].num_sge = wr->num_sge;
		memcpy(r->recv[r->in % DEPTH].sge, wr->sg_list, wr->num_sge * sizeof *wr->sg_list);
	}
	pthread_mutex_unlock(&lock);
	*bad = wr;
	return wr ? ENOMEM : 0;
}

static int post_recv(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	return post(&((struct qp *)qp)->receives, wr, bad);
}

static int post_srq_recv(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	return post(&((struct srq *)srq)->receives, wr, bad);
}

/* deliver copies a message, whose elements are as long as those of the receive. */
static void deliver(struct abi_qp *qp, struct abi_send_wr *wr)
{
	struct receives *r = qp->srq ? &((struct srq *)qp->srq)->receives : &((struct qp *)qp)->receives;
	unsigned at = r->out++ % DEPTH;
	uint32_t length = 0;

	if (wr->num_sge > ELEMENTS)
		abort();
	for (int i = 0; i < wr->num_sge && i < r->recv[at].num_sge; i++) {
		memcpy((void *)(uintptr_t)r->recv[at].sge[i].addr, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		length += wr->sg_list[i].length;
	}
	complete(qp->send_cq, wr->wr_id, WC_SEND, 0);
	complete(qp->recv_cq, r->recv[at].wr_id, WC_RECV, length);
}

static int post_send(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad)
{
	pthread_mutex_lock(&lock);
	for (; wr && (wr->opcode == SEND || wr->opcode == RDMA_WRITE); wr = wr->next)
		if (wr->opcode == SEND) {
			deliver(qp, wr);
		} else {
			*(volatile char *)(uintptr_t)wr->wr[0] = 1;
			complete(qp->send_cq, wr->wr_id, WC_RDMA_WRITE, 0);
		}
	pthread_mutex_unlock(&lock);
	*bad = wr;
	return wr ? EINVAL : 0;
}

struct abi_device **ibv_get_device_list(int *n)
{
	struct abi_device **list = calloc(2, sizeof *list);

	list[0] = &device;
	*n = 1;
	return list;
}

void ibv_free_device_list(struct abi_device **list) { free(list); }

struct abi_context *ibv_open_device(struct abi_device *d)
{
	struct abi_context *c = calloc(1, sizeof *c);

	c->device = d;
	c->ops.poll_cq = poll_cq;
	c->ops.req_notify_cq = req_notify_cq;
	c->ops.post_send = post_send;
	c->ops.post_recv = post_recv;
	c->ops.post_srq_recv = post_srq_recv;
	c->async_fd = eventfd(0, EFD_CLOEXEC);
	return c;
}

int ibv_close_device(struct abi_context *c) { free(c); return 0; }

struct abi_pd *ibv_alloc_pd(struct abi_context *c)
{
	struct abi_context **pd = calloc(1, 64);

	*pd = c;
	return (struct abi_pd *)pd;
}

int ibv_dealloc_pd(struct abi_pd *pd) { free(pd); return 0; }

struct abi_cq *ibv_create_cq(struct abi_context *c, int cqe, void *cq_context, struct abi_comp_channel *channel, int vector)
{
	struct cq *q = calloc(1, sizeof *q);

	(void)vector;
	q->cq = (struct abi_cq){.context = c, .channel = channel, .cq_context = cq_context, .cqe = cqe};
	return &q->cq;
}

int ibv_destroy_cq(struct abi_cq *cq) { free(cq); return 0; }

struct abi_qp *ibv_create_qp(struct abi_pd *pd, struct abi_qp_init_attr *init)
{
	struct qp *q = calloc(1, sizeof *q);

	q->qp = (struct abi_qp){.context = *(struct abi_context **)pd, .pd = pd, .send_cq = init->send_cq, .recv_cq = init->recv_cq, .srq = init->srq};
	return &q->qp;
}

int ibv_destroy_qp(struct abi_qp *qp) { free(qp); return 0; }

struct abi_srq *ibv_create_srq(struct abi_pd *pd, struct abi_srq_init_attr *init)
{
	struct srq *s = calloc(1, sizeof *s);

	(void)init;
	s->srq = (struct abi_srq){.context = *(struct abi_context **)pd, .pd = pd};
	return &s->srq;
}

int ibv_destroy_srq(struct abi_srq *srq) { free(srq); return 0; }
