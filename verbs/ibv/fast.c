#define _GNU_SOURCE
#include "fast.h"
#include "library.h"

#include <errno.h>
#include <poll.h>

struct posted fast_post_send(struct abi_qp *qp, struct abi_send_wr *wr)
{
	struct abi_send_wr *bad = NULL;
	int err = qp->context->ops.post_send(qp, wr, &bad);

	return (struct posted){err, bad};
}

struct posted fast_post_recv(struct abi_qp *qp, struct abi_recv_wr *wr)
{
	struct abi_recv_wr *bad = NULL;
	int err = qp->context->ops.post_recv(qp, wr, &bad);

	return (struct posted){err, bad};
}

int fast_poll(struct abi_cq *cq, int n, struct abi_wc *wc, int max)
{
	int (*poll_cq)(struct abi_cq *, int, struct abi_wc *) = cq->context->ops.poll_cq;
	int got;

	do
		got = poll_cq(cq, n, wc);
	while (got == 0 && --max > 0);
	return got;
}

int fast_req_notify(struct abi_cq *cq, int solicited_only)
{
	return cq->context->ops.req_notify_cq(cq, solicited_only);
}

struct event fast_get_event(struct abi_comp_channel *channel, int timeout_ms)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLIN};
	struct event e = {0, NULL};
	void *cq_context;
	int ready = poll(&p, 1, timeout_ms);

	if (ready == 0 || (ready < 0 && errno == EINTR))
		e.err = ETIMEDOUT;
	else if (ready < 0 || ib_get_cq_event(channel, &e.cq, &cq_context) != 0)
		e.err = errno;
	return e;
}
