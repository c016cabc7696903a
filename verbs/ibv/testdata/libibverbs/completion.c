/* CQs. */
#include "stub.h"

#include <time.h>

static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* spares, or the arms of a CQ */
static struct cq *spares; /* that were destroyed, the last one first */
static int offered; /* STUB_REUSE: the last one's destroy_cq waits */

/* slots returns the number of entries for a size: a power of two. */
static int slots(int cqe)
{
	int n = 1;

	while (n < cqe)
		n *= 2;
	return n;
}

static struct cq *local_cq(void)
{
	struct timespec end = {.tv_sec = time(NULL) + 10};
	struct cq *q;

	pthread_mutex_lock(&spares_lock);
	while (number("STUB_REUSE", 0) && !offered)
		if (pthread_cond_timedwait(&changed, &spares_lock, &end))
			break;
	q = spares;
	if (q)
		spares = q->next;
	offered = 0;
	pthread_mutex_unlock(&spares_lock);
	return q ? q : calloc(1, sizeof *q);
}

struct abi_cq *ibv_create_cq(struct abi_context *c, int cqe, void *cq_context, struct abi_comp_channel *channel, int vector)
{
	void *allowed = object("create_cq", 1);
	struct cqs *s;
	struct cq *q;
	uint32_t num;

	free(allowed);
	if (allowed && (cqe < 1 || cqe > COMPLETIONS || vector < 0 || vector >= c->num_comp_vectors)) {
		errno = EINVAL;
		return NULL;
	}
	if (!allowed || !(s = take(1, &num)) || !(q = local_cq()))
		return NULL;
	account_cq(cqe);
	q->cq = (struct abi_cq){.context = c, .channel = channel, .cq_context = cq_context, .cqe = cqe};
	q->s = s;
	q->num = num;
	q->refs = 0;
	q->events = q->async = (struct acks){0};
	s->size = cqe;
	s->ring = slots(cqe);
	lock(&s->putting); /* the timer may still use the CQ that was in this slot */
	s->in = s->out = s->told = s->overrun = s->armed = 0;
	unlock(&s->putting);
	s->delay = number("STUB_DELAY", 0) * 1000;
	s->stamped = 0;
	s->owner = q;
	s->home = (struct pipe){self, c->cmd_fd, whole(c)->serial};
	s->channel = (struct pipe){0};
	if (channel) {
		s->channel = (struct pipe){self, channel->fd, ((struct channel *)channel)->serial};
		__atomic_add_fetch(&channel->refcnt, 1, __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&s->num, num, __ATOMIC_RELEASE);
	return &q->cq;
}

int ibv_destroy_cq(struct abi_cq *cq)
{
	struct cq *q = (struct cq *)cq;
	struct timespec end = {.tv_sec = time(NULL) + 10};
	unsigned before;
	int ret = result("destroy_cq");

	if (ret || q->refs)
		return ret ? ret : EBUSY;
	__atomic_store_n(&q->s->num, 0, __ATOMIC_RELEASE); /* which discards unfetched events too */
	await_acks(&q->events);
	await_acks(&q->async);
	if (cq->channel)
		__atomic_sub_fetch(&cq->channel->refcnt, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&spares_lock);
	q->next = spares;
	spares = q;
	before = q->arms;
	offered = number("STUB_REUSE", 0);
	pthread_cond_broadcast(&changed);
	while (number("STUB_REUSE", 0) && q->arms == before)
		if (pthread_cond_timedwait(&changed, &spares_lock, &end))
			break;
	pthread_mutex_unlock(&spares_lock);
	return 0;
}

int ibv_resize_cq(struct abi_cq *cq, int cqe)
{
	struct cqs *s = ((struct cq *)cq)->s;
	int ring = slots(cqe), ret = result("resize_cq");
	struct cqe *kept;
	uint32_t n;

	if (ret || cqe < 1 || cqe > COMPLETIONS)
		return ret ? ret : EINVAL;
	lock(&s->taking);
	lock(&s->putting);
	n = s->in - s->out;
	kept = malloc(n * sizeof *kept + 1);
	if (n > (uint32_t)cqe) {
		ret = EINVAL;
	} else {
		for (uint32_t i = 0; i < n; i++)
			kept[i] = s->cqe[(s->out + i) & (s->ring - 1)];
		for (uint32_t i = 0; i < n; i++)
			s->cqe[(s->out + i) & (ring - 1)] = kept[i];
		s->ring = ring;
		s->size = cq->cqe = cqe;
	}
	unlock(&s->putting);
	unlock(&s->taking);
	free(kept);
	return ret;
}

/* raise_cq makes the CQ readable from its channel, and disarms it. */
static void raise_cq(struct cqs *s, uint32_t num)
{
	struct note n = {s->owner, 0, 1, num};

	s->armed = NOT;
	if (s->channel.serial && (fault != LOST_EVENT || every(4)))
		notify(&s->channel, &n, sizeof n);
}

int req_notify_cq(struct abi_cq *cq, int solicited_only)
{
	struct cqs *s = ((struct cq *)cq)->s;

	lock(&s->putting);
	if (s->delay)
		tell_due(s);
	if (s->armed < ALL)
		s->armed = solicited_only ? SOLICITED_ONLY : ALL;
	if (holds_armed(s))
		raise_cq(s, s->num);
	unlock(&s->putting);
	return 0;
}

int req_notify_cq_knobs(struct abi_cq *cq, int solicited_only)
{
	struct cq *q = (struct cq *)cq;
	int ret = result("req_notify_cq");

	if (ret)
		return ret;
	req_notify_cq(cq, solicited_only);
	pthread_mutex_lock(&spares_lock);
	q->arms++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&spares_lock);
	if (number("STUB_EVENTS", 0)) {
		lock(&q->s->putting);
		raise_cq(q->s, q->num);
		unlock(&q->s->putting);
	}
	return 0;
}

/* overrun ends a CQ that is full, and the QPs that use it. */
static void overrun(struct cqs *s, uint32_t cq)
{
	if (s->overrun)
		return;
	s->overrun = 1;
	raise_note(&s->home, (struct note){s->owner, CQ_ERR, 1, cq});
	for (EACH(qps, q, qp, 0))
		if (q->num && (q->send_cq == cq || q->recv_cq == cq) && q->state != RESET && q->state != ERR) {
			__atomic_store_n(&q->state, ERR, __ATOMIC_SEQ_CST);
			raise_event(q, QP_FATAL);
		}
}

void tell_due(struct cqs *s)
{
	for (; s->told != s->in; s->told++) {
		struct cqe *e = &s->cqe[s->told & (s->ring - 1)];

		if ((int32_t)(s->told - s->out) >= 0 && e->due > now())
			return;
		if (s->armed == ALL || (s->armed && e->solicited))
			raise_cq(s, s->num);
	}
}

void hold_back(struct cqe *e, uint64_t at, const void *data, size_t length)
{
	e->held = length;
	e->held_at = at;
	memcpy(e->data, data, length);
}

void complete(uint32_t cq, struct cqe *e, int solicited)
{
	struct cqs *s = SLOT(cq, CQS, cq);
	struct cqe *to;

	lock(&s->putting);
	if (s->in - __atomic_load_n(&s->out, __ATOMIC_ACQUIRE) >= (uint32_t)s->size) {
		overrun(s, cq);
	} else if (!s->overrun) {
		to = &s->cqe[s->in & (s->ring - 1)];
		memcpy(to, e, e->held ? sizeof *to : offsetof(struct cqe, data));
		to->solicited = solicited || e->wc.status;
		if (s->delay || s->stamped)
			to->due = now() + s->delay;
		__atomic_store_n(&s->in, s->in + 1, __ATOMIC_RELEASE);
		if (!s->delay && (s->armed == ALL || (s->armed && to->solicited)))
			raise_cq(s, cq);
	}
	unlock(&s->putting);
}

/* hand_out does the owner's part of a completion. */
static inline void hand_out(struct cqe *e, struct abi_wc *wc)
{
	struct qps *q = SLOT(qp, QPS, e->qp);

	*wc = e->wc;
	if (e->held)
		memcpy((void *)(uintptr_t)e->held_at, e->data, e->held);
	if (!e->qp || q->num != e->qp)
		return;
	if (q->type == SRD) /* whose completions cover only their own request */
		__atomic_add_fetch(&q->freed, 1, __ATOMIC_RELEASE);
	else if ((int32_t)(e->posted - q->freed) > 0)
		__atomic_store_n(&q->freed, e->posted, __ATOMIC_RELEASE);
}

int take_completion(struct cqs *s, struct abi_wc *wc, uint64_t *time)
{
	struct cqe *e;
	int got = 0;

	lock(&s->taking);
	e = &s->cqe[s->out & (s->ring - 1)];
	if (__atomic_load_n(&s->in, __ATOMIC_ACQUIRE) == s->out) {
		got = s->overrun ? -1 : 0;
	} else if (!s->delay || e->due <= now()) {
		*time = e->due;
		hand_out(e, wc);
		__atomic_store_n(&s->out, s->out + 1, __ATOMIC_RELEASE);
		got = 1;
	}
	unlock(&s->taking);
	return got;
}

int poll_cq(struct abi_cq *cq, int n, struct abi_wc *wc)
{
	struct cqs *s = ((struct cq *)cq)->s;
	uint32_t out, in;
	int got = 0;

	if (__atomic_load_n(&s->in, __ATOMIC_ACQUIRE) == s->out)
		return s->overrun ? -1 : 0;
	lock(&s->taking);
	out = s->out;
	in = __atomic_load_n(&s->in, __ATOMIC_ACQUIRE);
	while (got < n && out != in && (!s->delay || s->cqe[out & (s->ring - 1)].due <= now()))
		hand_out(&s->cqe[out++ & (s->ring - 1)], &wc[got++]);
	__atomic_store_n(&s->out, out, __ATOMIC_RELEASE);
	unlock(&s->taking);
	return got;
}

int poll_cq_knobs(struct abi_cq *cq, int n, struct abi_wc *wc) { return result("poll_cq") ? -1 : poll_cq(cq, n, wc); }
