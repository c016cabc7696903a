/* Send queues: posting, waiting requests, and completions. */
#include "stub.h"

enum { OF_WINDOWS = 1 << LOCAL_INV | 1 << BIND_MW | 1 << SEND_INV };

/* The operations of each type: bits by opcode. */
static uint32_t operations_of(uint32_t type)
{
	switch (type) {
	case RC: case XRC_SEND: return 1 << WRITE | 1 << WRITE_IMM | 1 << SEND | 1 << SEND_IMM | 1 << READ | 1 << SWAP | 1 << ADD | OF_WINDOWS;
	case UC: return 1 << WRITE | 1 << WRITE_IMM | 1 << SEND | 1 << SEND_IMM | OF_WINDOWS;
	case UD: return 1 << SEND | 1 << SEND_IMM;
	case SRD: return 1 << WRITE | 1 << WRITE_IMM | 1 << SEND | 1 << SEND_IMM | 1 << READ;
	}
	return 0;
}

/* check returns an errno for a request that cannot be posted, or 0 and its length. */
static inline int check(struct qps *q, struct abi_send_wr *wr, size_t *length)
{
	size_t n = 0;

	if (wr->opcode > SEND_INV || !(operations_of(q->type) >> wr->opcode & 1) || (uint32_t)wr->num_sge > q->cap.max_send_sge)
		return EINVAL;
	if (q->state < RTS)
		return connectx ? ENOMEM : EINVAL;
	if (q->signals && !(wr->send_flags & SIGNALED))
		return EINVAL;
	if (q->posted - __atomic_load_n(&q->freed, __ATOMIC_ACQUIRE) >= q->cap.max_send_wr)
		return ENOMEM;
	for (int i = 0; i < wr->num_sge; i++)
		n += wr->sg_list[i].length;
	if (wr->opcode >= READ && wr->opcode <= ADD && (wr->send_flags & INLINED || (q->type != SRD && !q->attr.max_rd_atomic)))
		return EINVAL;
	if (wr->send_flags & INLINED && n > q->cap.max_inline_data)
		return EINVAL;
	if ((q->type == UD || q->type == SRD) && ((struct ah *)(uintptr_t)wr->wr[0])->domain != q->pd)
		return EINVAL;
	if (q->type == SRD && n > EFA_MESSAGE && (wr->opcode == SEND || wr->opcode == SEND_IMM))
		return EINVAL;
	*length = n;
	return 0;
}

/* finish adds the completion of a request, if it has one. */
static inline void finish(struct qps *q, struct abi_send_wr *wr, int status, size_t length, uint32_t posted)
{
	static const uint32_t opcode[] = {[WRITE] = 1, [WRITE_IMM] = 1, [SEND] = 0, [SEND_IMM] = 0, [READ] = 2, [SWAP] = 3, [ADD] = 4,
		[LOCAL_INV] = 6, [BIND_MW] = 5, [SEND_INV] = 0};
	struct cqe e;

	if ((!status && !q->sig_all && !(wr->send_flags & SIGNALED)) || (fault == LOST_COMPLETION && every(8)))
		return;
	if (fault == WRONG_STATUS && status == REM_ACCESS_ERR)
		status = REM_OP_ERR;
	e.wc = (struct abi_wc){.wr_id = wr->wr_id, .status = status, .opcode = opcode[wr->opcode], .byte_len = length, .qp_num = q->num};
	e.qp = q->num;
	e.posted = posted;
	e.held = 0;
	complete(q->send_cq, &e, 0);
}

/* stop moves a QP to ERR or SQE after a request of its own has failed, except with SRD. */
static void stop(struct qps *q)
{
	if (fault == WRONG_STATE)
		return;
	if (q->type == RC || q->type == XRC_SEND)
		fail(q);
	else if (q->type != SRD)
		__atomic_store_n(&q->state, SQE, __ATOMIC_SEQ_CST);
}

/* set_way stores the destination of a datagram. */
static const struct entry *set_way(struct qps *q, struct abi_send_wr *wr, struct entry *e)
{
	const struct abi_ah_attr *a;

	if (q->type != UD)
		return NULL;
	a = &((struct ah *)(uintptr_t)wr->wr[0])->attr;
	e->dgid = a->is_global ? a->grh.dgid : gid_of(a->dlid);
	e->port = a->port_num;
	e->hop_limit = a->grh.hop_limit;
	e->traffic_class = a->grh.traffic_class;
	return e;
}

/* enqueue keeps a request that waits, with its inline data. */
static void enqueue(struct qps *q, struct abi_send_wr *wr, int begun)
{
	struct entry *e = &q->waiting[q->in++ % DEPTH];
	size_t at = 0;

	e->wr = *wr;
	e->begun = begun;
	set_way(q, wr, e);
	for (int i = 0; i < wr->num_sge; i++) {
		e->sge[i] = wr->sg_list[i];
		if (wr->send_flags & INLINED) {
			memcpy(e->data + at, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
			at += wr->sg_list[i].length;
		}
	}
}

/* bound sets the deadline of a waiting request, and the status with which it fails. */
static int bound(struct qps *q, int waits)
{
	static const uint32_t rnr_us10[32] = {65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
		1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
	struct abi_qp_attr *a = &q->attr;
	struct qps *peer = find_qp(a->dest_qp_num);

	if (q->waits == waits)
		return q->deadline && now() >= q->deadline ? (waits == WAIT_PEER ? RETRY_EXC_ERR : RNR_RETRY_EXC_ERR) : 0;
	q->waits = waits;
	q->deadline = 0;
	if (waits == WAIT_PEER && a->timeout)
		q->deadline = now() + (uint64_t)(a->retry_cnt + 1) * (4096ull << a->timeout);
	if (waits == WAIT_RECEIVE && a->rnr_retry < 7) {
		if (!a->rnr_retry)
			return RNR_RETRY_EXC_ERR;
		q->deadline = now() + (uint64_t)a->rnr_retry * 10000 * rnr_us10[peer ? peer->attr.min_rnr_timer & 31 : 0];
	}
	return 0;
}

/* attempt executes a request and returns 0 if it waits. */
static inline int attempt(struct qps *q, struct abi_send_wr *wr, const struct entry *way, size_t length, uint32_t posted)
{
	int status = execute(q, wr, way, length);

	if (status < 0) {
		status = bound(q, status);
		if (!status)
			return 0;
	}
	q->waits = 0;
	finish(q, wr, status, length, posted);
	if (status)
		stop(q);
	return 1;
}

/* advance executes waiting requests. The caller holds the QP's lock. */
static void advance(struct qps *q)
{
	for (; q->out != q->in; q->out++) {
		struct entry *e = &q->waiting[q->out % DEPTH];
		uint32_t posted = q->posted - (q->in - q->out) + 1;
		struct abi_send_wr wr = e->wr;
		size_t length = 0;

		wr.sg_list = e->sge;
		for (int i = 0; i < wr.num_sge; i++) {
			if (wr.send_flags & INLINED)
				e->sge[i].addr = (uintptr_t)e->data + length;
			length += e->sge[i].length;
		}
		if (q->state == ERR || q->state == SQE) {
			finish(q, &wr, WR_FLUSH_ERR, length, posted);
			continue;
		}
		if (q->state < RTS || (q->state == SQD && !e->begun))
			return;
		e->begun = 1;
		if (!attempt(q, &wr, q->type == UD ? e : NULL, length, posted))
			return;
	}
}

int draining(struct qps *q) { return q->out != q->in && q->waiting[q->out % DEPTH].begun; }

void proceed(struct qps *q)
{
	lock(&q->sending);
	if (q->out != q->in)
		advance(q);
	if (q->notify && q->state == SQD && !draining(q)) {
		q->notify = 0;
		raise_event(q, SQ_DRAINED);
	}
	unlock(&q->sending);
}

void proceed_all(void)
{
	for (EACH(qps, q, qp, 0))
		if (q->num && (q->out != q->in || q->notify))
			proceed(q);
}

static inline int post(struct qps *q, struct abi_send_wr *wr)
{
	struct entry way;
	size_t length;
	int err = check(q, wr, &length);

	if (err)
		return err;
	q->posted++;
	if (q->overtake && q->posted % q->overtake == 0) {
		advance(q);
		enqueue(q, wr, 0);
		return 0;
	}
	if ((q->out == q->in || q->overtake) && q->state == RTS && attempt(q, wr, set_way(q, wr, &way), length, q->posted))
		return 0;
	enqueue(q, wr, q->out == q->in && q->state == RTS);
	if (q->state == ERR || q->state == SQE)
		advance(q);
	return 0;
}

int post_send(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad)
{
	struct qps *q = ((struct qp *)qp)->s;
	int err = 0;

	lock(&q->sending);
	for (; wr; wr = wr->next) {
		err = post(q, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	unlock(&q->sending);
	return err;
}

int post_send_knobs(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad)
{
	const char *crash = getenv("STUB_CRASH");
	char *volatile wrong = (char *)0x10;
	int ret = result("post_send");

	if (crash && !strcmp(crash, "abort"))
		abort();
	if (crash)
		*wrong = 1;
	*bad = wr;
	return ret ? ret : post_send(qp, wr, bad);
}
