/*
 * Posting by ibv_wr_post. A session keeps its requests, which wr_complete hands to post_send
 * one after another. Operations that the QP was not made for crash, as is their right.
 */
#include "stub.h"

enum { INLINED = 8, DRIVER = 0xff };

static struct session {
	struct request {
		struct abi_send_wr wr;
		struct abi_sge sge[ELEMENTS];
		uint32_t peer; /* of SRD */
	} requests[DEPTH];
	unsigned n;
	int err;
	char data[1 << 16]; /* of inline data, of all requests */
	size_t used;
} session; /* one at a time, under their lock */

static pthread_mutex_t sessions = PTHREAD_MUTEX_INITIALIZER;

static void wr_start(struct abi_qp_ex *q)
{
	pthread_mutex_lock(&sessions);
	session.n = session.err = session.used = 0;
}

static void wr_abort(struct abi_qp_ex *q) { pthread_mutex_unlock(&sessions); }

static int wr_complete(struct abi_qp_ex *q)
{
	int err = session.err;
	struct abi_send_wr *bad;

	for (unsigned i = 0; i < session.n && !err; i++) {
		struct request *r = &session.requests[i];

		r->wr.sg_list = r->sge;
		if (q->qp.qp_type == DRIVER)
			((struct qp *)q)->attr.dest_qp_num = r->peer;
		err = post_send(&q->qp, &r->wr, &bad);
	}
	pthread_mutex_unlock(&sessions);
	return err;
}

static struct request *last(void) { return &session.requests[session.n - 1]; }

static void begin(struct abi_qp_ex *q, uint32_t opcode, uint32_t imm, uint64_t addr, uint32_t rkey)
{
	if (session.n == DEPTH || (q->qp.qp_type == DRIVER && q->wr_flags != 2)) { /* SRD takes IBV_SEND_SIGNALED alone */
		session.err = EINVAL;
		session.n = DEPTH - 1;
	}
	session.requests[session.n++] = (struct request){
		.wr = {.wr_id = q->wr_id, .opcode = opcode, .send_flags = q->wr_flags, .imm_data = imm, .wr = {addr, rkey}},
	};
}

static void wr_rdma_write(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr) { begin(q, 0, 0, addr, rkey); }
static void wr_rdma_write_imm(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr, uint32_t imm) { begin(q, 1, imm, addr, rkey); }
static void wr_send(struct abi_qp_ex *q) { begin(q, 2, 0, 0, 0); }
static void wr_send_imm(struct abi_qp_ex *q, uint32_t imm) { begin(q, 3, imm, 0, 0); }
static void wr_rdma_read(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr) { begin(q, 4, 0, addr, rkey); }

static void wr_atomic_cmp_swp(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap)
{
	begin(q, 5, 0, addr, 0);
	last()->wr.wr[1] = compare;
	last()->wr.wr[2] = swap;
	last()->wr.wr[3] = rkey;
}

static void wr_atomic_fetch_add(struct abi_qp_ex *q, uint32_t rkey, uint64_t addr, uint64_t add)
{
	begin(q, 6, 0, addr, 0);
	last()->wr.wr[1] = add;
	last()->wr.wr[3] = rkey;
}

/* An SRD QP reaches the QP that is named, if that would take the message. */
static void wr_set_ud_addr(struct abi_qp_ex *q, struct abi_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct qp *peer = find_qp(qpn);

	last()->peer = ah && peer && peer->attr.qkey == qkey ? qpn : 0;
}

static void wr_set_xrc_srqn(struct abi_qp_ex *q, uint32_t srqn) { last()->wr.qp_type[0] = srqn; }

static void wr_set_sge_list(struct abi_qp_ex *q, size_t n, const struct abi_sge *list)
{
	if (n > ELEMENTS)
		session.err = EINVAL;
	else
		memcpy(last()->sge, list, n * sizeof *list);
	last()->wr.num_sge = n;
}

static void wr_set_sge(struct abi_qp_ex *q, uint32_t lkey, uint64_t addr, uint32_t length)
{
	wr_set_sge_list(q, 1, &(struct abi_sge){addr, length, lkey});
}

static void wr_set_inline_data_list(struct abi_qp_ex *q, size_t n, const struct abi_data_buf *list)
{
	char *at = session.data + session.used;
	struct abi_sge whole = {.addr = (uintptr_t)at};

	for (size_t i = 0; i < n; i++) {
		if (session.used + list[i].length > sizeof session.data) {
			session.err = EINVAL;
			return;
		}
		memcpy(session.data + session.used, list[i].addr, list[i].length);
		session.used += list[i].length;
		whole.length += list[i].length;
	}
	last()->wr.send_flags |= INLINED;
	wr_set_sge_list(q, 1, &whole);
}

static void wr_set_inline_data(struct abi_qp_ex *q, void *addr, size_t length)
{
	wr_set_inline_data_list(q, 1, &(struct abi_data_buf){addr, length});
}

void post_by_sessions(struct abi_qp_ex *q, uint64_t ops)
{
	q->wr_start = wr_start;
	q->wr_complete = wr_complete;
	q->wr_abort = wr_abort;
#define WITH(bit, operation) q->operation = ops & 1 << (bit) ? operation : NULL
	WITH(0, wr_rdma_write);
	WITH(1, wr_rdma_write_imm);
	WITH(2, wr_send);
	WITH(3, wr_send_imm);
	WITH(4, wr_rdma_read);
	WITH(5, wr_atomic_cmp_swp);
	WITH(6, wr_atomic_fetch_add);
	q->wr_set_ud_addr = wr_set_ud_addr;
	q->wr_set_xrc_srqn = wr_set_xrc_srqn;
	q->wr_set_sge = wr_set_sge;
	q->wr_set_sge_list = wr_set_sge_list;
	q->wr_set_inline_data = wr_set_inline_data;
	q->wr_set_inline_data_list = wr_set_inline_data_list;
}

struct abi_qp_ex *ibv_qp_to_qp_ex(struct abi_qp *qp)
{
	struct abi_qp_ex *q = (struct abi_qp_ex *)qp;

	return q->wr_start ? q : NULL;
}
