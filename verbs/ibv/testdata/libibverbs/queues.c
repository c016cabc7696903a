/* QPs, SRQs and XRC domains, and their attributes. */
#include "stub.h"

static struct qp *qps[OBJECTS];

struct qp *find_qp(uint32_t num)
{
	for (int i = 0; i < OBJECTS; i++)
		if (qps[i] && qps[i]->qp.qp_num == num)
			return qps[i];
	return NULL;
}

struct abi_qp *make_qp(struct abi_context *c, struct abi_pd *pd, struct abi_qp_init_attr *init, uint32_t first)
{
	struct qp *q = object(c, sizeof *q);
	int at = 0;

	if (!q)
		return NULL;
	init->cap.max_send_wr = DEPTH; /* devices grant more than they are asked for */
	pthread_mutex_lock(&lock);
	while (qps[at])
		if (++at == OBJECTS)
			abort();
	q->qp = (struct abi_qp){
		.context = c, .pd = pd, .send_cq = init->send_cq, .recv_cq = init->recv_cq, .srq = init->srq,
		.qp_num = first + at, .qp_type = init->qp_type,
	};
	q->cap = init->cap;
	q->sig_all = init->sq_sig_all;
	q->slot = (void **)&qps[at];
	qps[at] = q;
	pthread_mutex_unlock(&lock);
	return &q->qp;
}

struct abi_qp *ibv_create_qp(struct abi_pd *pd, struct abi_qp_init_attr *init)
{
	errno = EOPNOTSUPP;
	return number("STUB_EFA") && init->qp_type != 4 /* UD */ ? NULL : make_qp(pd->context, pd, init, 1);
}

int ibv_destroy_qp(struct abi_qp *qp) { return done(qp, ((struct qp *)qp)->slot); }

#define MEMBER(bit, name) {1 << (bit), offsetof(struct abi_qp_attr, name), sizeof(((struct abi_qp_attr *)0)->name)}

/* The members that each bit of modify_qp's mask names. */
static const struct {
	int bit;
	size_t at, size;
} members[] = {
	MEMBER(0, qp_state), MEMBER(1, cur_qp_state), MEMBER(2, en_sqd_async_notify), MEMBER(3, qp_access_flags),
	MEMBER(4, pkey_index), MEMBER(5, port_num), MEMBER(6, qkey), MEMBER(7, ah_attr), MEMBER(8, path_mtu),
	MEMBER(9, timeout), MEMBER(10, retry_cnt), MEMBER(11, rnr_retry), MEMBER(12, rq_psn), MEMBER(13, max_rd_atomic),
	MEMBER(14, alt_ah_attr), MEMBER(14, alt_pkey_index), MEMBER(14, alt_port_num), MEMBER(14, alt_timeout),
	MEMBER(15, min_rnr_timer), MEMBER(16, sq_psn), MEMBER(17, max_dest_rd_atomic), MEMBER(18, path_mig_state),
	MEMBER(19, cap), MEMBER(20, dest_qp_num),
};

int ibv_modify_qp(struct abi_qp *qp, struct abi_qp_attr *a, int mask)
{
	struct qp *q = (struct qp *)qp;
	int ret = result();

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	if (mask & 1 && a->qp_state == RESET) { /* the QP is as it was made */
		q->attr = (struct abi_qp_attr){0};
		q->receives = (struct receives){0};
	}
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (mask & members[i].bit)
			memcpy((char *)&q->attr + members[i].at, (char *)a + members[i].at, members[i].size);
	qp->state = q->attr.qp_state;
	if (qp->state == ERR)
		fail(q);
	pthread_mutex_unlock(&lock);
	return 0;
}

int ibv_query_qp(struct abi_qp *qp, struct abi_qp_attr *a, int mask, struct abi_qp_init_attr *init)
{
	struct qp *q = (struct qp *)qp;

	*a = q->attr;
	*init = (struct abi_qp_init_attr){.cap = q->cap, .qp_type = qp->qp_type, .sq_sig_all = q->sig_all};
	return result();
}

struct abi_srq *ibv_create_srq(struct abi_pd *pd, struct abi_srq_init_attr *init) { return object(pd->context, sizeof(struct srq)); }
int ibv_destroy_srq(struct abi_srq *srq) { return done(srq, NULL); }

NOTHING(attach_mcast, struct abi_qp *o, const union abi_gid *gid, uint16_t lid)
NOTHING(detach_mcast, struct abi_qp *o, const union abi_gid *gid, uint16_t lid)
NOTHING(modify_srq, struct abi_srq *o, struct abi_srq_attr *a, int mask)
NOTHING(query_srq, struct abi_srq *o, struct abi_srq_attr *a)
NOTHING(query_qp_data_in_order, struct abi_qp *o, uint32_t op, uint32_t flags)

struct abi_xrcd *open_xrcd(struct abi_context *c, struct abi_xrcd_init_attr *init) { return object(c, sizeof(struct abi_xrcd)); }
int close_xrcd(struct abi_xrcd *x) { return done(x, NULL); }

struct abi_srq *create_srq_ex(struct abi_context *c, struct abi_srq_init_attr_ex *init) { return object(c, sizeof(struct srq)); }

int get_srq_num(struct abi_srq *srq, uint32_t *num)
{
	*num = 1;
	return result();
}

/* The first members of the attributes are those of the plain form. */
struct abi_qp *create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init)
{
	struct abi_qp *qp = make_qp(c, init->pd, (struct abi_qp_init_attr *)init, 1);

	if (qp && init->comp_mask & ABI_QP_INIT_ATTR_SEND_OPS_FLAGS)
		post_by_sessions((struct abi_qp_ex *)qp, init->send_ops_flags);
	return qp;
}
