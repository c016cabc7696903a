/* SRQs and XRC domains. */
#include "stub.h"

#include <fcntl.h>
#include <sys/stat.h>

static struct abi_srq *make_srq(struct abi_context *c, struct abi_srq_init_attr_ex *init)
{
	struct srq *q = object("create_srq", sizeof *q);
	struct abi_srq_attr *a = &init->attr;
	uint32_t num;

	if (!q)
		return NULL;
	if (!a->max_wr || a->max_wr > DEPTH || a->max_sge > ELEMENTS) {
		free(q);
		errno = EINVAL;
		return NULL;
	}
	if (!(q->s = take(2, &num)))
		return NULL;
	q->srq = (struct abi_srq){.context = c, .srq_context = init->srq_context, .pd = init->pd};
	q->pd = (struct pd *)init->pd;
	q->s->pd = q->pd->number;
	q->s->type = init->srq_type;
	q->s->limit = a->srq_limit;
	q->s->domain = q->s->cq = 0;
	q->s->home = (struct pipe){self, c->cmd_fd, whole(c)->serial};
	q->s->owner = q;
	q->s->receives.in = q->s->receives.out = q->s->receives.wanted = 0;
	q->s->receives.max = a->max_wr;
	q->s->receives.max_sge = a->max_sge;
	__atomic_add_fetch(&q->pd->refs, 1, __ATOMIC_SEQ_CST);
	if (init->srq_type == ABI_SRQT_XRC) {
		q->cq = (struct cq *)init->cq;
		q->domain = ((struct xrcd *)init->xrcd)->domain;
		q->s->cq = q->cq->num;
		q->s->domain = q->domain->number;
		__atomic_add_fetch(&q->cq->refs, 1, __ATOMIC_SEQ_CST);
		__atomic_add_fetch(&q->domain->refs, 1, __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&q->s->num, num, __ATOMIC_RELEASE);
	return &q->srq;
}

struct abi_srq *ibv_create_srq(struct abi_pd *pd, struct abi_srq_init_attr *init)
{
	struct abi_srq_init_attr_ex ex = {.srq_context = init->srq_context, .attr = init->attr, .pd = pd};

	return make_srq(pd->context, &ex);
}

struct abi_srq *create_srq_ex(struct abi_context *c, struct abi_srq_init_attr_ex *init)
{
	if (!(init->comp_mask & ABI_SRQ_INIT_ATTR_TYPE))
		init->srq_type = 0;
	return make_srq(c, init);
}

int ibv_destroy_srq(struct abi_srq *srq)
{
	struct srq *q = (struct srq *)srq;
	int ret = result("destroy_srq");

	if (ret || q->refs)
		return ret ? ret : EBUSY;
	__atomic_store_n(&q->s->num, 0, __ATOMIC_RELEASE);
	exclude_requesters();
	await_acks(&q->async);
	__atomic_sub_fetch(&q->pd->refs, 1, __ATOMIC_SEQ_CST);
	if (q->cq)
		__atomic_sub_fetch(&q->cq->refs, 1, __ATOMIC_SEQ_CST);
	if (q->domain)
		__atomic_sub_fetch(&q->domain->refs, 1, __ATOMIC_SEQ_CST);
	free(q);
	return 0;
}

int ibv_modify_srq(struct abi_srq *srq, struct abi_srq_attr *a, int mask)
{
	enum { MAX_WR = 1, LIMIT = 2 };
	struct srqs *s = ((struct srq *)srq)->s;
	struct receives *r = &s->receives;
	int ret = result("modify_srq");

	if (ret)
		return ret;
	lock(&r->lock);
	if (mask & MAX_WR && (!a->max_wr || a->max_wr > DEPTH || a->max_wr < r->in - r->out))
		ret = EINVAL;
	if (mask & LIMIT && a->srq_limit > r->max)
		ret = EINVAL;
	if (!ret && mask & MAX_WR)
		r->max = a->max_wr;
	if (!ret && mask & LIMIT)
		s->limit = a->srq_limit;
	unlock(&r->lock);
	return ret;
}

int ibv_query_srq(struct abi_srq *srq, struct abi_srq_attr *a)
{
	struct srqs *s = ((struct srq *)srq)->s;

	*a = (struct abi_srq_attr){.max_wr = s->receives.max, .max_sge = s->receives.max_sge, .srq_limit = s->limit};
	return result("query_srq");
}

int get_srq_num(struct abi_srq *srq, uint32_t *num)
{
	*num = ((struct srq *)srq)->s->num;
	return result("get_srq_num");
}

/* The domains of this process. */
static struct domain *domains;
static pthread_mutex_t domains_lock = PTHREAD_MUTEX_INITIALIZER;

/* find_domain returns the domain of a file, which O_CREAT makes, or NULL with errno. */
static struct domain *find_domain(struct abi_context *c, int fd, int flags)
{
	struct stat st = {0};
	struct domain *d;

	if (fd != -1 && fstat(fd, &st))
		return NULL;
	for (d = domains; fd != -1 && d; d = d->next)
		if (d->context == c && d->dev == st.st_dev && d->ino == st.st_ino) {
			errno = EINVAL;
			return flags & O_CREAT && flags & O_EXCL ? NULL : d;
		}
	if (!(flags & O_CREAT)) {
		errno = EAGAIN;
		return NULL;
	}
	d = calloc(1, sizeof *d);
	*d = (struct domain){.context = c, .dev = st.st_dev, .ino = st.st_ino, .number = serial(), .next = domains};
	return domains = d;
}

struct abi_xrcd *open_xrcd(struct abi_context *c, struct abi_xrcd_init_attr *init)
{
	struct xrcd *x = object("open_xrcd", sizeof *x);

	if (!x)
		return NULL;
	x->xrcd.context = c;
	errno = EOPNOTSUPP;
	if (number("STUB_XRC", 1)) {
		pthread_mutex_lock(&domains_lock);
		x->domain = find_domain(c, init->fd, init->oflags);
		if (x->domain)
			x->domain->handles++;
		pthread_mutex_unlock(&domains_lock);
	}
	if (x->domain)
		return &x->xrcd;
	free(x);
	return NULL;
}

int close_xrcd(struct abi_xrcd *xrcd)
{
	struct xrcd *x = (struct xrcd *)xrcd;
	struct domain **at = &domains;
	int ret = result("close_xrcd");

	if (ret)
		return ret;
	pthread_mutex_lock(&domains_lock);
	if (x->domain->handles == 1 && x->domain->refs) {
		ret = EBUSY;
	} else if (!--x->domain->handles) {
		while (*at != x->domain)
			at = &(*at)->next;
		*at = x->domain->next;
		free(x->domain);
	}
	pthread_mutex_unlock(&domains_lock);
	if (!ret)
		free(x);
	return ret;
}
