/* Creating, opening, querying and destroying QPs. */
#include "stub.h"

static int check_cap(const struct abi_qp_cap *c, int on_srq)
{
	uint32_t inlined = number("STUB_EFA", 0) ? EFA_INLINE : INLINE;

	return c->max_send_wr > DEPTH || c->max_send_sge > max_sge() || c->max_inline_data > inlined ||
	       (!on_srq && (c->max_recv_wr > DEPTH || c->max_recv_sge > max_sge()));
}

/* check_init returns an errno for attributes that are not valid, or 0. */
static int check_init(const struct abi_qp_init_attr_ex *init)
{
	int xrc = number("STUB_XRC", 1), domain = init->comp_mask & ABI_QP_INIT_ATTR_XRCD;

	if (number("STUB_EFA", 0) && init->qp_type != UD && init->qp_type != SRD)
		return EOPNOTSUPP;
	switch (init->qp_type) {
	case XRC_RECV:
		return !domain ? EINVAL : xrc ? 0 : EOPNOTSUPP;
	case XRC_SEND:
		if (!xrc)
			return EOPNOTSUPP;
		break;
	case SRD: /* only by efadv_create_qp_ex */
		if (!number("STUB_EFA", 0) || !(init->comp_mask & ABI_QP_INIT_ATTR_SEND_OPS_FLAGS))
			return EOPNOTSUPP;
		break;
	case RC: case UC: case UD:
		if (!has_type(init->qp_type))
			return EOPNOTSUPP;
		break;
	default:
		return init->qp_type < RC ? EINVAL : EOPNOTSUPP;
	}
	return check_cap(&init->cap, init->srq != NULL) || (init->qp_type == UC && init->srq) ? EINVAL : 0;
}

/* hold adjusts the reference counts of the objects that the QP uses. */
static void hold(struct qp *q, int by)
{
	int *refs[] = {
		q->pd ? &q->pd->refs : NULL, q->qp.send_cq ? &((struct cq *)q->qp.send_cq)->refs : NULL,
		q->qp.recv_cq ? &((struct cq *)q->qp.recv_cq)->refs : NULL, q->qp.srq ? &((struct srq *)q->qp.srq)->refs : NULL,
		q->domain ? &q->domain->refs : NULL,
	};

	for (size_t i = 0; i < sizeof refs / sizeof *refs; i++)
		if (refs[i])
			__atomic_add_fetch(refs[i], by, __ATOMIC_SEQ_CST);
}

/* set_up fills a slot, except for its number. */
static void set_up(struct qp *q, struct abi_qp_init_attr_ex *init)
{
	struct qps *s = q->s;
	struct abi_context *c = q->qp.context;
	struct abi_qp_cap *cap = &init->cap;

	if (cap->max_send_wr < 64)
		cap->max_send_wr = 64; /* devices may grant more than asked for */
	if (cap->max_send_sge < 1)
		cap->max_send_sge = 1;
	if (init->srq || init->qp_type == XRC_SEND)
		cap->max_recv_wr = cap->max_recv_sge = 0;
	if (init->qp_type == XRC_RECV)
		*cap = (struct abi_qp_cap){0};
	s->type = init->qp_type;
	s->state = RESET;
	s->pd = q->pd ? q->pd->number : 0;
	s->domain = q->domain ? q->domain->number : 0;
	s->srq = init->srq ? ((struct srq *)init->srq)->s->num : 0;
	s->send_cq = init->send_cq ? ((struct cq *)init->send_cq)->num : 0;
	s->recv_cq = init->recv_cq ? ((struct cq *)init->recv_cq)->num : 0;
	s->sig_all = init->sq_sig_all;
	s->cap = *cap;
	s->attr = (struct abi_qp_attr){.rnr_retry = s->type == SRD ? 7 : 0}; /* SRD waits for receives without a limit */
	s->home = (struct pipe){self, c->cmd_fd, whole(c)->serial};
	memset(s->handles, 0, sizeof s->handles);
	s->handles[0] = q;
	s->joined = s->notify = s->waits = s->established = 0;
	s->posted = s->freed = s->in = s->out = s->psn = s->expected = 0;
	s->receives.in = s->receives.out = s->receives.wanted = 0;
	s->receives.max = cap->max_recv_wr;
	s->receives.max_sge = cap->max_recv_sge;
}

struct abi_qp *make_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	struct qp *q = object("create_qp", sizeof *q);
	uint32_t num;

	if (!q)
		return NULL;
	errno = check_init(init);
	q->qp = (struct abi_qp){.context = c, .qp_context = init->qp_context, .qp_type = init->qp_type};
	if (errno || !(q->s = take(0, &num))) {
		free(q);
		return NULL;
	}
	if (init->qp_type != XRC_RECV) {
		q->qp.pd = init->pd;
		q->qp.send_cq = init->send_cq;
		q->qp.recv_cq = init->recv_cq;
		q->qp.srq = init->srq;
		q->pd = (struct pd *)init->pd;
	} else {
		q->domain = ((struct xrcd *)init->xrcd)->domain;
	}
	account_qp(init, flags);
	set_up(q, init);
	q->s->scatter = flags & ABI_MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE || init->qp_type != RC ? 0 : number("STUB_SCATTER", 0);
	if (q->s->scatter > HELD)
		q->s->scatter = HELD;
	q->s->signals = number("STUB_EFA", 0) && !init->sq_sig_all; /* as efa_post_send_validate has it */
	q->s->overtake = init->qp_type == SRD ? number("STUB_OVERTAKE", 0) : 0;
	q->s->out_of_order = (flags & ABI_MLX5DV_QP_CREATE_OOO_DP) != 0;
	hold(q, 1);
	q->qp.qp_num = num | (flags & 8) << 20 | (flags & ABI_MLX5DV_QP_CREATE_OOO_DP) << 15;
	__atomic_store_n(&q->s->num, q->qp.qp_num, __ATOMIC_RELEASE);
	return &q->qp;
}

struct abi_qp *ibv_create_qp(struct abi_pd *pd, struct abi_qp_init_attr *init)
{
	struct abi_qp_init_attr_ex ex = {.comp_mask = ABI_QP_INIT_ATTR_PD, .pd = pd};
	struct abi_qp *qp;

	memcpy(&ex, init, sizeof *init); /* the first members are those of ibv_qp_init_attr, except for its padding */
	ex.comp_mask = ABI_QP_INIT_ATTR_PD;
	qp = make_qp(pd->context, &ex, 0);
	init->cap = ex.cap;
	return qp;
}

struct abi_qp *make_qp_by_operations(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	struct abi_qp *qp = make_qp(c, init, flags);

	if (qp && init->comp_mask & ABI_QP_INIT_ATTR_SEND_OPS_FLAGS && post_by_sessions((struct qp *)qp, init->send_ops_flags)) {
		ibv_destroy_qp(qp);
		errno = ENOMEM;
		return NULL;
	}
	return qp;
}

struct abi_qp *create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init) { return make_qp_by_operations(c, init, 0); }

struct abi_qp *open_qp(struct abi_context *c, struct abi_qp_open_attr *open)
{
	struct qps *s = find_qp(open->qp_num);
	struct domain *d = ((struct xrcd *)open->xrcd)->domain;
	struct qp *q = object("open_qp", sizeof *q);
	int i = 0;

	if (!q)
		return NULL;
	while (s && i < HANDLES && s->handles[i])
		i++;
	if (!s || s->type != XRC_RECV || s->domain != d->number || i == HANDLES) {
		free(q);
		errno = EINVAL;
		return NULL;
	}
	q->qp = (struct abi_qp){.context = c, .qp_num = s->num, .qp_type = XRC_RECV, .state = s->state};
	q->s = s;
	q->domain = d;
	s->handles[i] = q;
	hold(q, 1);
	return &q->qp;
}

/* last frees a handle and reports whether it was the QP's last one. */
static int last(struct qp *q)
{
	int left = 0;

	for (int i = 0; i < HANDLES; i++) {
		if (q->s->handles[i] == q)
			q->s->handles[i] = NULL;
		left += q->s->handles[i] != NULL;
	}
	return !left;
}

int ibv_destroy_qp(struct abi_qp *qp)
{
	struct qp *q = (struct qp *)qp;
	struct qps *s = q->s, *peer = find_qp(s->attr.dest_qp_num);
	int ret = result("destroy_qp");

	if (ret || s->joined)
		return ret ? ret : EBUSY;
	await_acks(&q->async);
	if (last(q)) {
		lock(&s->sending);
		lock(&s->receives.lock);
		s->state = RESET;
		s->in = s->out;
		s->receives.in = s->receives.out;
		__atomic_store_n(&s->num, 0, __ATOMIC_RELEASE);
		unlock(&s->receives.lock);
		unlock(&s->sending);
		if (peer) { /* whose requests may be executing */
			lock(&peer->sending);
			unlock(&peer->sending);
		}
	}
	hold(q, -1);
	if (q->counter) {
		q->counter->refs--;
		s->counter = 0;
	}
	free(q->session);
	free(q);
	return 0;
}

int ibv_query_qp(struct abi_qp *qp, struct abi_qp_attr *a, int mask, struct abi_qp_init_attr *init)
{
	struct qp *q = (struct qp *)qp;
	struct qps *s = q->s;

	lock(&s->sending);
	*a = s->attr;
	a->qp_state = a->cur_qp_state = qp->state = s->state;
	a->sq_psn = s->psn;
	a->rq_psn = s->expected;
	a->sq_draining = s->state == SQD && draining(s);
	a->en_sqd_async_notify = 0;
	a->cap = s->cap;
	unlock(&s->sending);
	*init = (struct abi_qp_init_attr){
		.qp_context = qp->qp_context, .send_cq = qp->send_cq, .recv_cq = qp->recv_cq, .srq = qp->srq, .cap = s->cap,
		.qp_type = qp->qp_type, .sq_sig_all = s->sig_all,
	};
	return result("query_qp");
}

int ibv_query_qp_data_in_order(struct abi_qp *qp, uint32_t op, uint32_t flags)
{
	int caps = number("STUB_ORDER", 3);

	if ((op != WRITE && op != SEND && op != READ) || flags & ~3u || ((struct qp *)qp)->s->out_of_order)
		return 0;
#ifndef __x86_64__
	if (!(flags & 2 /* DEVICE_ONLY */))
		return 0;
#endif
	if (caps & 1)
		caps |= 2;
	return flags & 1 /* RETURN_CAPS */ ? caps : caps & 1;
}
