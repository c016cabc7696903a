/*
 * Posting by ibv_wr_post: a session keeps its requests, which wr_complete hands to post_send
 * as one list. Operations that the QP was not made for crash, as is their right.
 */
#include "stub.h"

enum { REQUESTS = 512 }; /* of a session */

struct session {
	uint32_t lock; /* from wr_start to wr_complete or wr_abort */
	int n, err;
	size_t used; /* of data */
	struct abi_send_wr wr[REQUESTS];
	struct abi_sge sge[REQUESTS][ELEMENTS];
	char data[1 << 16]; /* inline, of all requests */
};

static struct session *session(struct abi_qp_ex *q) { return ((struct qp *)q)->session; }

static void wr_start(struct abi_qp_ex *q)
{
	struct session *s = session(q);

	lock(&s->lock);
	s->n = s->err = s->used = 0;
}

static void wr_abort(struct abi_qp_ex *q) { unlock(&session(q)->lock); }

static int wr_complete(struct abi_qp_ex *q)
{
	struct session *s = session(q);
	struct abi_send_wr *bad;

	int err = s->err;

	if (!err && s->n)
		err = q->qp.context->ops.post_send(&q->qp, s->wr, &bad);
	unlock(&s->lock);
	return err;
}

static struct abi_send_wr *last(struct abi_qp_ex *q) { return &session(q)->wr[session(q)->n - 1]; }

static struct abi_send_wr *begin(struct abi_qp_ex *q, uint32_t opcode)
{
	struct session *s = session(q);
	struct abi_send_wr *wr;

	if (s->n == REQUESTS || (q->qp.qp_type == SRD && q->wr_flags != SIGNALED)) {
		s->err = EINVAL;
		s->n = 0;
	}
	wr = &s->wr[s->n];
	if (s->n)
		wr[-1].next = wr;
	wr->wr_id = q->wr_id;
	wr->next = NULL;
	wr->sg_list = s->sge[s->n++];
	wr->num_sge = 0;
	wr->opcode = opcode;
	wr->send_flags = q->wr_flags;
	return wr;
}

static void rdma(struct abi_qp_ex *q, uint32_t opcode, uint32_t imm, uint64_t addr, uint32_t rkey)
{
	struct abi_send_wr *wr = begin(q, opcode);
	uint64_t *remote = wr->wr + (q->qp.qp_type == SRD ? 2 : 0);

	remote[0] = addr;
	remote[1] = rkey;
	wr->imm_data = imm;
}

static void atomic(struct abi_qp_ex *q, uint32_t opcode, uint64_t addr, uint64_t compare_add, uint64_t swap, uint32_t rkey)
{
	uint64_t *wr = begin(q, opcode)->wr;

	wr[0] = addr;
	wr[1] = compare_add;
	wr[2] = swap;
	wr[3] = rkey;
}

static void wr_rdma_write(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr) { rdma(q, WRITE, 0, addr, rkey); }
static void wr_rdma_write_imm(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr, uint32_t imm) { rdma(q, WRITE_IMM, imm, addr, rkey); }
static void wr_send(struct abi_qp_ex *q) { begin(q, SEND); }
static void wr_send_imm(struct abi_qp_ex *q, uint32_t imm) { begin(q, SEND_IMM)->imm_data = imm; }
static void wr_rdma_read(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr) { rdma(q, READ, 0, addr, rkey); }

static void wr_atomic_cmp_swp(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap)
{
	atomic(q, SWAP, addr, compare, swap, rkey);
}

static void wr_atomic_fetch_add(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr, uint64_t add) { atomic(q, ADD, addr, add, 0, rkey); }

static void wr_local_inv(struct abi_qp_ex *q, uint32_t rkey) { begin(q, LOCAL_INV)->imm_data = rkey; }
static void wr_send_inv(struct abi_qp_ex *q, uint32_t rkey) { begin(q, SEND_INV)->imm_data = rkey; }

static void wr_bind_mw(struct abi_qp_ex *q, struct abi_mw *mw, uint32_t rkey, const struct abi_mw_bind_info *info)
{
	uint64_t *ext = begin(q, BIND_MW)->ext;

	ext[0] = (uintptr_t)mw;
	ext[1] = rkey;
	memcpy(&ext[2], info, sizeof *info);
}

static void wr_set_ud_addr(struct abi_qp_ex *q, struct abi_ah *ah, uint32_t qpn, uint32_t qkey)
{
	last(q)->wr[0] = (uintptr_t)ah;
	last(q)->wr[1] = qpn | (uint64_t)qkey << 32;
}

static void wr_set_xrc_srqn(struct abi_qp_ex *q, uint32_t srqn) { last(q)->qp_type[0] = srqn; }

static void wr_set_sge(struct abi_qp_ex *q, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct abi_send_wr *wr = last(q);

	*wr->sg_list = (struct abi_sge){addr, length, lkey};
	wr->num_sge = 1;
}

static void wr_set_sge_list(struct abi_qp_ex *q, size_t n, const struct abi_sge *list)
{
	if (n > ((struct qp *)q)->s->cap.max_send_sge) {
		session(q)->err = EINVAL;
		return;
	}
	memcpy(last(q)->sg_list, list, n * sizeof *list);
	last(q)->num_sge = n;
}

static void wr_set_inline_data_list(struct abi_qp_ex *q, size_t n, const struct abi_data_buf *list)
{
	struct session *s = session(q);
	char *at = s->data + s->used;

	for (size_t i = 0; i < n; i++) {
		if (s->used + list[i].length > sizeof s->data) {
			s->err = EINVAL;
			return;
		}
		memcpy(s->data + s->used, list[i].addr, list[i].length);
		s->used += list[i].length;
	}
	last(q)->send_flags |= INLINED;
	wr_set_sge(q, 0, (uintptr_t)at, s->data + s->used - at);
}

static void wr_set_inline_data(struct abi_qp_ex *q, void *addr, size_t length)
{
	wr_set_inline_data_list(q, 1, &(struct abi_data_buf){addr, length});
}

int post_by_sessions(struct qp *qp, uint64_t ops)
{
	struct abi_qp_ex *q = &qp->ex;

	q->wr_start = wr_start;
	q->wr_complete = wr_complete;
	q->wr_abort = wr_abort;
#define WITH(opcode, operation) q->operation = ops & 1 << (opcode) ? operation : NULL
	WITH(WRITE, wr_rdma_write);
	WITH(WRITE_IMM, wr_rdma_write_imm);
	WITH(SEND, wr_send);
	WITH(SEND_IMM, wr_send_imm);
	WITH(READ, wr_rdma_read);
	WITH(SWAP, wr_atomic_cmp_swp);
	WITH(ADD, wr_atomic_fetch_add);
	WITH(LOCAL_INV, wr_local_inv);
	WITH(BIND_MW, wr_bind_mw);
	WITH(SEND_INV, wr_send_inv);
	q->wr_set_ud_addr = wr_set_ud_addr;
	q->wr_set_xrc_srqn = wr_set_xrc_srqn;
	q->wr_set_sge = wr_set_sge;
	q->wr_set_sge_list = wr_set_sge_list;
	q->wr_set_inline_data = wr_set_inline_data;
	q->wr_set_inline_data_list = wr_set_inline_data_list;
	qp->session = calloc(1, sizeof *qp->session);
	return !qp->session;
}

struct abi_qp_ex *ibv_qp_to_qp_ex(struct abi_qp *qp)
{
	return ((struct qp *)qp)->session ? &((struct qp *)qp)->ex : NULL;
}
