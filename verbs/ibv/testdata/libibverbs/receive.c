/* The receiver: receives, and the delivery of messages. */
#include "stub.h"

typedef char block __attribute__((vector_size(16), aligned(1)));

/* copy stores in ascending order, as the promise of data order requires. */
void copy(char *to, const char *from, size_t length)
{
	for (; length >= 16; to += 16, from += 16, length -= 16)
		*(volatile block *)to = *(const block *)from;
	for (; length; length--)
		*(volatile char *)to++ = *from++;
}

void fail(struct qps *q)
{
	struct receives *r = &q->receives;

	lock(&r->lock);
	if (!q->srq)
		for (; r->out != r->in; r->out++) {
			struct cqe e = {.wc = {.wr_id = r->recv[r->out % DEPTH].wr_id, .status = WR_FLUSH_ERR, .qp_num = q->num}};

			complete(q->recv_cq, &e, 0);
		}
	if (__atomic_exchange_n(&q->state, ERR, __ATOMIC_SEQ_CST) != ERR && (q->srq || q->type == XRC_RECV))
		raise_event(q, QP_LAST_WQE_REACHED);
	unlock(&r->lock);
}

/* add posts to a receive queue. */
static int add(struct receives *r, struct abi_recv_wr *wr, struct abi_recv_wr **bad, int err)
{
	lock(&r->lock);
	for (; !err && wr; wr = wr->next) {
		struct recv *to = &r->recv[r->in % DEPTH];

		err = wr->num_sge < 0 || (uint32_t)wr->num_sge > r->max_sge ? EINVAL : r->in - r->out >= r->max ? ENOMEM : 0;
		if (err)
			break;
		to->wr_id = wr->wr_id;
		to->num_sge = wr->num_sge;
		for (int i = 0; i < wr->num_sge; i++)
			to->sge[i] = wr->sg_list[i];
		r->in++;
	}
	unlock(&r->lock);
	*bad = wr;
	return err;
}

int post_recv(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	struct qps *q = ((struct qp *)qp)->s, *peer;
	int err = add(&q->receives, wr, bad, q->srq || q->type == XRC_SEND || q->type == XRC_RECV || q->state == RESET ? EINVAL : 0);

	if (q->state == ERR)
		fail(q);
	if (__atomic_load_n(&q->receives.wanted, __ATOMIC_SEQ_CST)) {
		q->receives.wanted = 0;
		peer = find_qp(q->attr.dest_qp_num);
		if (peer)
			proceed(peer);
		else if (q->type == SRD)
			proceed_all();
	}
	return err;
}

int post_recv_knobs(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	int ret = result("post_recv");

	return ret ? ret : post_recv(qp, wr, bad);
}

int post_srq_recv(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	struct srqs *s = ((struct srq *)srq)->s;
	int err = add(&s->receives, wr, bad, 0);

	if (__atomic_exchange_n(&s->receives.wanted, 0, __ATOMIC_SEQ_CST))
		proceed_all();
	return err;
}

int post_srq_recv_knobs(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	int ret = result("post_srq_recv");

	return ret ? ret : post_srq_recv(srq, wr, bad);
}

/* room returns the length of a receive in bytes. */
static size_t room(const struct recv *r)
{
	size_t n = 0;

	for (int i = 0; i < r->num_sge; i++)
		n += r->sge[i].length;
	return n;
}

/* scatter stores bytes into a receive at an offset, or returns LOC_PROT_ERR. */
static int scatter(const struct recv *r, uint32_t pd, size_t behind, const char *from, size_t length)
{
	for (const struct abi_sge *s = r->sge; length; s++) {
		size_t part = s->length < behind ? 0 : s->length - behind;
		char *to;

		part = part < length ? part : length;
		to = part ? reach(pd, s->lkey, s->addr + behind, part, LOCAL_WRITE) : NULL;
		if (part && !to)
			return LOC_PROT_ERR;
		copy(to, from, part);
		behind -= s->length < behind ? s->length : behind;
		from += part;
		length -= part;
	}
	return 0;
}

/* fill stores a message into a receive and returns its status. */
static int fill(struct qps *to, uint32_t pd, struct recv *r, struct message *m, struct cqe *e)
{
	size_t at = m->way ? GRH : 0;
	char grh[GRH];
	int status = 0;

	if (m->way) {
		write_grh(grh, m->way, &m->way->dgid, m->length);
		status = scatter(r, pd, 0, grh, GRH);
	} else if (m->length && m->length <= to->scatter && m->parts == 1 && r->sge[0].length >= m->length) {
		if (!reach(pd, r->sge[0].lkey, r->sge[0].addr, m->length, LOCAL_WRITE))
			return LOC_PROT_ERR;
		hold_back(e, owners_address(r->sge[0].lkey, r->sge[0].addr), m->part[0].at, m->length);
		return 0;
	}
	for (int i = 0; i < m->parts && !status; at += m->part[i++].length)
		status = scatter(r, pd, at, m->part[i].at, m->part[i].length);
	return status;
}

/* below raises the event of an SRQ with fewer receives than its limit. */
static void below(struct srqs *s)
{
	if (!s->limit || s->receives.in - s->receives.out >= s->limit)
		return;
	s->limit = 0;
	raise_note(&s->home, (struct note){s->owner, SRQ_LIMIT_REACHED, 2, s->num});
}

int receive(struct qps *to, struct srqs *srq, struct message *m)
{
	struct receives *r = srq ? &srq->receives : &to->receives;
	struct abi_send_wr *wr = m->wr;
	struct recv *recv;
	struct cqe e;
	int writes = wr->opcode == WRITE_IMM, status = 0;

	lock(&r->lock);
	recv = &r->recv[r->out % DEPTH];
	if (to->state < RTR || to->state == ERR || (m->way && r->in != r->out && room(recv) < m->length + GRH))
		status = WAIT_PEER;
	else if (r->in == r->out)
		status = WAIT_RECEIVE;
	if (status) {
		r->wanted = 1;
		unlock(&r->lock);
		return status;
	}
	e.wc = (struct abi_wc){
		.wr_id = recv->wr_id, .opcode = writes ? 129 : 128, .byte_len = m->length + (m->way ? GRH : 0), .qp_num = to->num,
		.imm_data = wr->imm_data, .src_qp = m->from->num,
		.wc_flags = (wr->opcode == SEND ? 0 : wr->opcode == SEND_INV ? 8 /* WITH_INV */ : 2 /* WITH_IMM */) | (m->way ? 1 /* GRH */ : 0),
	};
	e.qp = e.held = 0;
	if (!writes && room(recv) < m->length)
		status = LOC_LEN_ERR;
	else if (!writes)
		status = fill(to, srq ? srq->pd : to->pd, recv, m, &e);
	if (!status && wr->opcode == SEND_INV && !invalidate(srq ? srq->pd : to->pd, wr->imm_data))
		status = REM_INV_REQ_ERR;
	r->out++;
	e.wc.status = status;
	if (srq)
		below(srq);
	complete(srq && srq->cq ? srq->cq : to->recv_cq, &e, wr->send_flags & SOLICITED);
	unlock(&r->lock);
	return status == LOC_LEN_ERR || status == REM_INV_REQ_ERR ? REM_INV_REQ_ERR : status ? REM_OP_ERR : 0;
}
