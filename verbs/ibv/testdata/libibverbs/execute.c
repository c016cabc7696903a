/* Executing a request: the requester's side, and its accesses to the peer's memory. */
#include "stub.h"

/* gather finds the local memory of a request, or returns LOC_PROT_ERR. */
static inline int gather(struct qps *q, struct abi_send_wr *wr, struct message *m)
{
	unsigned access = wr->opcode >= READ && wr->opcode <= ADD ? LOCAL_WRITE : 0;

	for (int i = 0; i < wr->num_sge; i++) {
		struct abi_sge *s = &wr->sg_list[i];

		if (!s->length)
			continue;
		m->part[m->parts].at = wr->send_flags & INLINED ? (char *)(uintptr_t)s->addr
							       : reach(q->pd, s->lkey, s->addr, s->length, access);
		m->part[m->parts].length = s->length;
		if (!m->part[m->parts++].at)
			return LOC_PROT_ERR;
	}
	return 0;
}

/* peer_of returns the responder QP, or NULL. */
static inline struct qps *peer_of(struct qps *q)
{
	struct qps *p = find_qp(q->attr.dest_qp_num);
	uint32_t type = q->type == XRC_SEND ? XRC_RECV : q->type, state;

	if (!p || p->type != type || p->attr.port_num != q->to_port || p->attr.dest_qp_num != q->num)
		return NULL;
	state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
	if (state < RTR || state == ERR || (q->type != UC && p->expected != q->psn))
		return NULL;
	return p;
}

static int swap_or_add(struct abi_send_wr *wr, struct message *m, uint64_t *at)
{
	uint64_t was = wr->wr[1];

	if (wr->opcode == ADD)
		was = __atomic_fetch_add(at, wr->wr[1], __ATOMIC_SEQ_CST);
	else
		__atomic_compare_exchange_n(at, &was, wr->wr[2], 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	memcpy(m->part[0].at, &was, sizeof was);
	return 0;
}

/* access executes a request in the peer's memory. */
static inline int access_peer(struct qps *peer, uint32_t pd, struct abi_send_wr *wr, struct message *m)
{
	static const uint8_t rights[] = {
		[WRITE] = REMOTE_WRITE, [WRITE_IMM] = REMOTE_WRITE, [READ] = REMOTE_READ, [SWAP] = REMOTE_ATOMIC, [ADD] = REMOTE_ATOMIC,
	};
	/* In SRD requests the peer's QP precedes the remote address and key. */
	uint64_t *remote = wr->wr + (peer->type == SRD ? 2 : 0);
	uint32_t right = rights[wr->opcode], key = wr->opcode >= SWAP ? wr->wr[3] : remote[1];
	char *at;

	if (peer->type != SRD && (!(peer->attr.qp_access_flags & right) || (wr->opcode >= READ && !peer->attr.max_dest_rd_atomic)))
		return REM_INV_REQ_ERR;
	if (wr->opcode >= SWAP && wr->wr[0] % 8)
		return REM_INV_REQ_ERR;
	if (!m->length)
		return 0;
	at = reach(pd, key, remote[0], m->length, right);
	if (!at || of_another(key, peer))
		return REM_ACCESS_ERR;
	if (wr->opcode >= SWAP)
		return swap_or_add(wr, m, (uint64_t *)at);
	for (int i = 0; i < m->parts; at += m->part[i++].length)
		copy(wr->opcode == READ ? m->part[i].at : at, wr->opcode == READ ? at : m->part[i].at, m->part[i].length);
	if (fault == WRONG_DATA && wr->opcode == WRITE && m->length > 64)
		at[-1] ^= 1;
	return 0;
}

/* has_receive reports whether the responder has a receive for immediate data. */
static int has_receive(struct receives *r)
{
	int has;

	lock(&r->lock);
	has = r->in != r->out;
	if (!has)
		r->wanted = 1;
	unlock(&r->lock);
	return has;
}

/* connected executes a request of a connected QP. */
static int connected(struct qps *peer, struct message *m)
{
	struct abi_send_wr *wr = m->wr;
	struct srqs *srq = find_srq(peer->srq);
	uint32_t pd = peer->pd;
	int status;

	if (peer->type == XRC_RECV) {
		srq = find_srq(wr->qp_type[0]);
		if (!srq || srq->type != ABI_SRQT_XRC || srq->domain != peer->domain)
			return REM_INV_REQ_ERR;
		pd = srq->pd;
	}
	if (wr->opcode == SEND || wr->opcode == SEND_IMM || wr->opcode == SEND_INV)
		return receive(peer, srq, m);
	if (wr->opcode == WRITE_IMM && !has_receive(srq ? &srq->receives : &peer->receives))
		return WAIT_RECEIVE;
	status = access_peer(peer, pd, wr, m);
	if (peer->counter && !status && wr->opcode <= WRITE_IMM)
		__atomic_add_fetch(&shared->counter[peer->counter - 1].value, 1, __ATOMIC_SEQ_CST);
	return status || wr->opcode != WRITE_IMM ? status : receive(peer, srq, m);
}

/* refuse moves a responder to ERR after a request that it does not allow. */
static void refuse(struct qps *peer, int status)
{
	if (status == REM_INV_REQ_ERR)
		raise_event(peer, QP_REQ_ERR);
	if (status == REM_ACCESS_ERR)
		raise_event(peer, QP_ACCESS_ERR);
	fail(peer);
}

static void establish(struct qps *peer)
{
	if (!__atomic_exchange_n(&peer->established, 1, __ATOMIC_SEQ_CST))
		raise_event(peer, COMM_EST);
}

static int to_peer(struct qps *q, struct message *m)
{
	struct qps *peer = peer_of(q);
	int status = peer ? connected(peer, m) : WAIT_PEER;

	if (q->type == UC)
		return 0;
	if (status >= 0) {
		q->psn = peer->expected = (q->psn + 1) & 0xffffff;
		if (peer->state == RTR)
			establish(peer);
	}
	if (status == REM_INV_REQ_ERR || status == REM_ACCESS_ERR || status == REM_OP_ERR)
		refuse(peer, status);
	return status;
}

/* deliver delivers a datagram from a port to its QP. */
static void deliver(struct qps *to, uint32_t port, struct message *m)
{
	struct abi_send_wr *wr = m->wr;
	uint32_t qkey = wr->wr[1] >> 32;

	if (qkey >> 31)
		qkey = m->from->attr.qkey;
	if (!to || to->type != UD || to->attr.port_num != port || to->state < RTR || to->state == ERR)
		return;
	if (to->attr.qkey != qkey) {
		__atomic_add_fetch(&shared->qkey_violations, 1, __ATOMIC_RELAXED);
		return;
	}
	receive(to, find_srq(to->srq), m);
}

static int datagram(struct message *m)
{
	const union abi_gid *to = &m->way->dgid;

	if (m->length > MTU_BYTES)
		return LOC_LEN_ERR;
	if (!is_group(to))
		deliver(find_qp((uint32_t)m->wr->wr[1]), to->raw[15], m);
	else
		for (EACH(qps, q, qp, 0))
			for (int i = 0; q->num && i < q->joined; i++)
				if (!memcmp(&q->groups[i], to, sizeof *to))
					deliver(q, q->attr.port_num, m);
	return 0;
}

/* to_named executes an SRD request, which names its peer. */
static int to_named(struct message *m)
{
	struct qps *peer = find_qp((uint32_t)m->wr->wr[1]);

	if (!peer || peer->type != SRD || peer->state < RTR || peer->state == ERR || peer->attr.qkey != m->wr->wr[1] >> 32)
		return RETRY_EXC_ERR;
	return connected(peer, m);
}

int execute(struct qps *q, struct abi_send_wr *wr, const struct entry *way, size_t length)
{
	struct message m;
	int status;

	m.wr = wr;
	m.from = q;
	m.way = way;
	m.length = length;
	m.parts = 0;
	if (wr->opcode == LOCAL_INV || wr->opcode == BIND_MW)
		return operate_window(q, wr);
	if (length > MESSAGE || ((wr->opcode == SWAP || wr->opcode == ADD) && length != 8))
		return LOC_LEN_ERR;
	status = gather(q, wr, &m);
	if (status)
		return status;
	return q->type == UD ? datagram(&m) : q->type == SRD ? to_named(&m) : to_peer(q, &m);
}
