/* Posting, and carrying out at once what is posted to send. */
#include "stub.h"

enum { WRITE, WRITE_IMM, SEND, SEND_IMM, READ };
enum { SIGNALED = 2, SOLICITED = 4, INLINED = 8 };
enum { LOCAL_WRITE = 1, REMOTE_WRITE = 2, REMOTE_READ = 4 };
enum { LOC_LEN_ERR = 1, LOC_PROT_ERR = 4, WR_FLUSH_ERR, REM_INV_REQ_ERR = 9, REM_ACCESS_ERR, REM_OP_ERR, RETRY_EXC_ERR, RNR_RETRY_EXC_ERR };
enum { WC_RECV = 128, WITH_IMM = 2 };

static const uint32_t wc_opcode[] = {[WRITE] = 1, [SEND] = 0, [SEND_IMM] = 0, [READ] = 2};

static char message[MESSAGE];

void fail(struct qp *q)
{
	q->attr.qp_state = q->qp.state = ERR;
	for (struct receives *r = &q->receives; r->out != r->in; r->out++)
		complete(q->qp.recv_cq, (struct abi_wc){.wr_id = r->recv[r->out % DEPTH].wr_id, .status = WR_FLUSH_ERR, .qp_num = q->qp.qp_num}, 0);
}

/* post posts to a QP's own receives, or to those of an SRQ, where q is NULL. */
static int post(struct receives *r, struct qp *q, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	int ret = result();

	pthread_mutex_lock(&lock);
	for (; !ret && wr; wr = wr->next, r->in++) {
		struct recv *to = &r->recv[r->in % DEPTH];

		ret = wr->num_sge > ELEMENTS ? EINVAL : r->in - r->out == DEPTH ? ENOMEM : 0;
		if (ret)
			break;
		to->wr_id = wr->wr_id;
		to->num_sge = wr->num_sge;
		for (int i = 0; i < wr->num_sge; i++)
			to->sge[i] = wr->sg_list[i];
	}
	if (q && q->attr.qp_state == ERR)
		fail(q);
	pthread_mutex_unlock(&lock);
	*bad = wr;
	return ret;
}

int post_recv(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	return post(&((struct qp *)qp)->receives, (struct qp *)qp, wr, bad);
}

int post_srq_recv(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad)
{
	return post(&((struct srq *)srq)->receives, NULL, wr, bad);
}

/* length_of returns how many bytes the elements have, or -1 if there are too many. */
static int64_t length_of(const struct abi_sge *sge, int n)
{
	int64_t length = 0;

	for (int i = 0; i < n && n <= ELEMENTS; i++)
		length += sge[i].length;
	return n > ELEMENTS || length > MESSAGE ? -1 : length;
}

/* move copies so many bytes between one place and the elements, and tells whether the keys allow it. */
static int move(char *at, const struct abi_sge *sge, size_t length, int store, int checked)
{
	for (; length; sge++) {
		size_t part = sge->length < length ? sge->length : length;
		char *mem = reach(checked ? sge->lkey : 0, sge->addr, part, store ? LOCAL_WRITE : 0);

		if (!mem && part)
			return 0;
		memcpy(store ? mem : at, store ? at : mem, part);
		at += part;
		length -= part;
	}
	return 1;
}

/* receive takes the peer's next receive for the message, and makes its completion. */
static uint32_t receive(struct qp *peer, struct abi_send_wr *wr, size_t length, struct abi_wc *wc)
{
	struct receives *r = peer->qp.srq ? &((struct srq *)peer->qp.srq)->receives : &peer->receives;
	struct recv *to = &r->recv[r->out % DEPTH];

	if (r->in == r->out)
		return RNR_RETRY_EXC_ERR;
	r->out++;
	*wc = (struct abi_wc){
		.wr_id = to->wr_id, .opcode = WC_RECV, .byte_len = length, .qp_num = peer->qp.qp_num,
		.imm_data = wr->imm_data, .wc_flags = wr->opcode == SEND_IMM ? WITH_IMM : 0,
	};
	if (length_of(to->sge, to->num_sge) < (int64_t)length)
		wc->status = LOC_LEN_ERR;
	else if (!move(message, to->sge, length, 1, 1))
		wc->status = LOC_PROT_ERR;
	return wc->status == LOC_LEN_ERR ? REM_INV_REQ_ERR : wc->status ? REM_OP_ERR : 0;
}

/* carry_out does what a request says and returns its status; received is the completion of a receive that it takes. */
static uint32_t carry_out(struct qp *peer, struct abi_send_wr *wr, size_t length, struct abi_wc *received)
{
	int sends = wr->opcode == SEND || wr->opcode == SEND_IMM, reads = wr->opcode == READ;
	char *remote = message;

	if (!peer || peer->attr.qp_state < RTR || peer->attr.qp_state == ERR)
		return RETRY_EXC_ERR;
	if (!sends && length)
		remote = reach(wr->wr[1], wr->wr[0], length, reads ? REMOTE_READ : REMOTE_WRITE);
	if (!remote)
		return REM_ACCESS_ERR;
	if (!move(remote, wr->sg_list, length, reads, !(wr->send_flags & INLINED)))
		return LOC_PROT_ERR;
	return sends ? receive(peer, wr, length, received) : 0;
}

static void transfer(struct qp *q, struct abi_send_wr *wr, size_t length)
{
	struct qp *peer = find_qp(q->attr.dest_qp_num);
	struct abi_wc sent = {.wr_id = wr->wr_id, .opcode = wc_opcode[wr->opcode], .byte_len = length, .qp_num = q->qp.qp_num}, received = {0};

	sent.status = q->attr.qp_state == ERR ? WR_FLUSH_ERR : carry_out(peer, wr, length, &received);
	if (sent.status || q->sig_all || wr->send_flags & SIGNALED)
		complete(q->qp.send_cq, sent, 0);
	if (received.opcode)
		complete(peer->qp.recv_cq, received, wr->send_flags & SOLICITED);
	if (received.status)
		fail(peer);
	if (sent.status)
		fail(q);
}

int post_send(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad)
{
	struct qp *q = (struct qp *)qp;
	const char *crash = getenv("STUB_CRASH");
	int ret = result();

	if (crash && !strcmp(crash, "abort"))
		abort();
	if (crash)
		*(volatile char *)0x10 = 1;
	pthread_mutex_lock(&lock);
	for (; !ret && wr; wr = wr->next) {
		int64_t length = length_of(wr->sg_list, wr->num_sge);

		ret = q->attr.qp_state < RTS || wr->opcode > READ || wr->opcode == WRITE_IMM || length < 0 ? EINVAL : 0;
		if (ret)
			break;
		transfer(q, wr, length);
	}
	pthread_mutex_unlock(&lock);
	*bad = wr;
	return ret;
}
