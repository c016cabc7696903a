#define _GNU_SOURCE
#include "post_poll.h"
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

void fast_read_comp_cntr(void *read_comp_cntr)
{
	struct read_comp_cntr *p = read_comp_cntr;
	int max = p->max;

	do
		p->err = fast_status(p->read(p->counter, &p->value));
	while (!p->err && p->value == p->old && --max > 0);
}

static uint64_t ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

void fast_post_poll(void *post_poll)
{
	struct post_poll *p = post_poll;

	p->begin = ticks();
	if (p->send.qp)
		fast_post_send(&p->send);
	else
		fast_post_send_ex(&p->send_ex);
	if (p->send.err || p->send_ex.err)
		return;
	if (p->poll.cq)
		fast_poll_cq(&p->poll);
	else if (p->poll_ex.cq)
		fast_poll_cq_ex(&p->poll_ex);
	p->end = ticks();
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
		poll(&p, 1, e->timeout_ms); /* its result does not matter: the read fails with EAGAIN */
	e->err = ib_get_cq_event(e->channel, &e->cq, &cq_context) == 0 ? 0 : errno;
}
