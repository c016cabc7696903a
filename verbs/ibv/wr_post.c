#define _GNU_SOURCE
#include "post_poll.h"

#include <errno.h>

/* The opcodes of requests, as bits of send_ops where ibv_wr_post has the operation. */
enum { RDMA_WRITE, RDMA_WRITE_WITH_IMM, SEND, SEND_WITH_IMM, RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, LOCAL_INV, BIND_MW, SEND_WITH_INV };

enum { UD = 4, XRC_SEND = 9, DRIVER = 0xff }; /* types of QPs */

enum { MOST_SGES = 32, INLINED = 8 };

static const uint64_t bit_of[] = {
	[RDMA_WRITE] = 1 << 0, [RDMA_WRITE_WITH_IMM] = 1 << 1, [SEND] = 1 << 2, [SEND_WITH_IMM] = 1 << 3,
	[RDMA_READ] = 1 << 4, [ATOMIC_CMP_AND_SWP] = 1 << 5, [ATOMIC_FETCH_AND_ADD] = 1 << 6,
	[LOCAL_INV] = 1 << 7, [BIND_MW] = 1 << 8, [SEND_WITH_INV] = 1 << 9,
};

/* begin begins a request, and returns 0 or an errno. */
static int begin(struct abi_qp_ex *q, const struct abi_send_wr *wr, uint64_t send_ops)
{
	/* In SRD requests the peer's QP precedes the remote address and key. */
	const uint64_t *remote = wr->wr + (q->qp.qp_type == DRIVER ? 2 : 0);

	if (wr->opcode >= sizeof bit_of / sizeof *bit_of || !(send_ops & bit_of[wr->opcode]))
		return EOPNOTSUPP;
	q->wr_id = wr->wr_id;
	q->wr_flags = wr->send_flags & ~INLINED;
	switch (wr->opcode) {
	case RDMA_WRITE:
		q->wr_rdma_write(q, remote[1], remote[0]);
		break;
	case RDMA_WRITE_WITH_IMM:
		q->wr_rdma_write_imm(q, remote[1], remote[0], wr->imm_data);
		break;
	case SEND:
		q->wr_send(q);
		break;
	case SEND_WITH_IMM:
		q->wr_send_imm(q, wr->imm_data);
		break;
	case RDMA_READ:
		q->wr_rdma_read(q, remote[1], remote[0]);
		break;
	case ATOMIC_CMP_AND_SWP:
		q->wr_atomic_cmp_swp(q, wr->wr[3], wr->wr[0], wr->wr[1], wr->wr[2]);
		break;
	case ATOMIC_FETCH_AND_ADD:
		q->wr_atomic_fetch_add(q, wr->wr[3], wr->wr[0], wr->wr[1]);
		break;
	case LOCAL_INV:
		q->wr_local_inv(q, wr->imm_data);
		break;
	case BIND_MW:
		q->wr_bind_mw(q, (struct abi_mw *)(uintptr_t)wr->ext[0], wr->ext[1], (const struct abi_mw_bind_info *)&wr->ext[2]);
		break;
	case SEND_WITH_INV:
		q->wr_send_inv(q, wr->imm_data);
	}
	return 0;
}

/* address sets the destination of a request of an unconnected QP. */
static void address(struct abi_qp_ex *q, const struct abi_send_wr *wr)
{
	if (q->qp.qp_type == UD || q->qp.qp_type == DRIVER)
		q->wr_set_ud_addr(q, (struct abi_ah *)(uintptr_t)wr->wr[0], wr->wr[1], wr->wr[1] >> 32);
	if (q->qp.qp_type == XRC_SEND)
		q->wr_set_xrc_srqn(q, wr->qp_type[0]);
}

static void attach(struct abi_qp_ex *q, const struct abi_send_wr *wr)
{
	struct abi_data_buf parts[MOST_SGES];

	if (!(wr->send_flags & INLINED)) {
		if (wr->num_sge == 1)
			q->wr_set_sge(q, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
		else
			q->wr_set_sge_list(q, wr->num_sge, wr->sg_list);
		return;
	}
	if (wr->num_sge == 1) {
		q->wr_set_inline_data(q, (void *)(uintptr_t)wr->sg_list->addr, wr->sg_list->length);
		return;
	}
	for (int i = 0; i < wr->num_sge; i++)
		parts[i] = (struct abi_data_buf){(void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length};
	q->wr_set_inline_data_list(q, wr->num_sge, parts);
}

/*
 * One session for the list, up to the first request that is refused here. If the device
 * refuses the session, no request was posted.
 */
void fast_post_send_ex(void *post_send_ex)
{
	struct post_send_ex *p = post_send_ex;
	struct abi_qp_ex *q = p->qp;
	struct abi_send_wr *wr = p->wr;
	int refused = 0, ret;

	q->wr_start(q);
	for (; wr && !refused; wr = wr->next) {
		refused = wr->num_sge < 0 || wr->num_sge > MOST_SGES ? EINVAL : begin(q, wr, p->send_ops);
		if (refused)
			break;
		if (wr->opcode == LOCAL_INV || wr->opcode == BIND_MW)
			continue; /* has neither a destination nor data */
		address(q, wr);
		attach(q, wr);
	}
	p->bad = wr;
	ret = fast_status(q->wr_complete(q));
	if (ret)
		p->bad = p->wr;
	p->err = ret ? ret : refused;
}
