#define _GNU_SOURCE
#include "fast.h"
#include "library.h"

#include <poll.h>

void fast_call(void (*f)(void *), void *arg)
{
	f(arg);
}

void fast_post_send(void *post_send)
{
	struct post_send *p = post_send;

	p->err = fast_status(p->qp->context->ops.post_send(p->qp, p->wr, &p->bad));
}

void fast_post_recv(void *post_recv)
{
	struct post_recv *p = post_recv;

	p->err = fast_status(p->qp->context->ops.post_recv(p->qp, p->wr, &p->bad));
}

void fast_post_srq_recv(void *post_srq_recv)
{
	struct post_srq_recv *p = post_srq_recv;

	p->err = fast_status(p->srq->context->ops.post_srq_recv(p->srq, p->wr, &p->bad));
}

void fast_poll_cq(void *poll_cq)
{
	struct poll_cq *p = poll_cq;
	int (*poll)(struct abi_cq *, int, struct abi_wc *) = p->cq->context->ops.poll_cq;
	int max = p->max;

	do
		p->got = poll(p->cq, p->n, p->wc);
	while (p->got == 0 && --max > 0);
}

void fast_req_notify(void *req_notify)
{
	struct req_notify *r = req_notify;

	r->err = fast_status(r->cq->context->ops.req_notify_cq(r->cq, r->solicited_only));
}

void fast_get_event(void *get_event)
{
	struct get_event *e = get_event;
	struct pollfd p = {.fd = e->channel->fd, .events = POLLIN};
	void *cq_context;

	if (e->timeout_ms > 0)
		poll(&p, 1, e->timeout_ms); /* whatever it says, the read tells */
	e->err = ib_get_cq_event(e->channel, &e->cq, &cq_context) == 0 ? 0 : errno;
}
