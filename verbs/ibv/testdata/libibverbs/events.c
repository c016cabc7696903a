/* CQs, completion channels and the events of both, and asynchronous events. */
#include "stub.h"

#include <time.h>

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct cq *spares; /* that were destroyed, the last one first */

struct channel {
	struct abi_comp_channel channel;
	int writer;
};

struct abi_comp_channel *ibv_create_comp_channel(struct abi_context *c)
{
	struct channel *ch = object(c, sizeof *ch);
	int fds[2];

	if (!ch || pipe(fds))
		return NULL;
	*ch = (struct channel){{.context = c, .fd = fds[0]}, fds[1]};
	return &ch->channel;
}

int ibv_destroy_comp_channel(struct abi_comp_channel *channel)
{
	if (channel->refcnt)
		return EBUSY;
	close(channel->fd);
	close(((struct channel *)channel)->writer);
	return done(channel, NULL);
}

struct abi_cq *ibv_create_cq(struct abi_context *c, int cqe, void *cq_context, struct abi_comp_channel *channel, int vector)
{
	struct cq *q;

	if (cqe < 1 || cqe > COMPLETIONS || vector < 0 || vector >= c->num_comp_vectors) {
		errno = EINVAL;
		return NULL;
	}
	pthread_mutex_lock(&lock);
	q = spares;
	if (q)
		spares = q->next;
	pthread_mutex_unlock(&lock);
	if (!q)
		q = object(c, sizeof *q);
	if (!q)
		return NULL;
	q->cq = (struct abi_cq){.context = c, .channel = channel, .cq_context = cq_context, .cqe = cqe};
	q->in = q->out = q->armed = 0;
	if (channel)
		__atomic_add_fetch(&channel->refcnt, 1, __ATOMIC_SEQ_CST);
	return &q->cq;
}

int ibv_destroy_cq(struct abi_cq *cq)
{
	struct cq *q = (struct cq *)cq;
	struct timespec end = {.tv_sec = time(NULL) + 10};
	unsigned before;
	int ret = result();

	if (ret)
		return ret;
	if (cq->channel)
		__atomic_sub_fetch(&cq->channel->refcnt, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&lock);
	q->next = spares;
	spares = q;
	before = q->arms;
	while (number("STUB_REUSE") && q->arms == before)
		if (pthread_cond_timedwait(&changed, &lock, &end))
			break;
	pthread_mutex_unlock(&lock);
	return 0;
}

NOTHING(resize_cq, struct abi_cq *o, int cqe)

/* raise_event makes the CQ readable from its channel, and disarms it. */
static int raise_event(struct cq *q)
{
	struct channel *ch = (struct channel *)q->cq.channel;
	struct abi_cq *cq = &q->cq;

	q->armed = NOT;
	return ch && write(ch->writer, &cq, sizeof cq) != sizeof cq ? errno : 0;
}

int req_notify_cq(struct abi_cq *cq, int solicited_only)
{
	struct cq *q = (struct cq *)cq;
	int ret = result();

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	if (q->armed < ALL)
		q->armed = solicited_only ? SOLICITED_ONLY : ALL;
	q->arms++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return number("STUB_EVENTS") ? raise_event(q) : 0;
}

void complete(struct abi_cq *cq, struct abi_wc wc, int solicited)
{
	struct cq *q = (struct cq *)cq;

	q->wc[q->in++ % COMPLETIONS] = wc;
	if (q->armed == ALL || (q->armed && (solicited || wc.status)))
		raise_event(q);
}

int poll_cq(struct abi_cq *cq, int n, struct abi_wc *wc)
{
	struct cq *q = (struct cq *)cq;
	int got;

	pthread_mutex_lock(&lock);
	for (got = 0; got < n && q->out != q->in; got++)
		wc[got] = q->wc[q->out++ % COMPLETIONS];
	pthread_mutex_unlock(&lock);
	return got;
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
	*(volatile int *)&cq->cqe; /* crashes on what is no CQ */
}

int ibv_get_async_event(struct abi_context *c, struct abi_async_event *event)
{
	return read(c->async_fd, event, sizeof *event) == sizeof *event ? 0 : -1;
}

void ibv_ack_async_event(struct abi_async_event *event) {}
