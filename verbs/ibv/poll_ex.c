#define _GNU_SOURCE
#include "post_poll.h"

enum { WITH_IMM = 2, WITH_INV = 8 }; /* wc_flags */

/* read copies the current completion. A failed completion has four valid members. */
static void read_completion(struct abi_cq_ex *q, struct abi_wc *wc)
{
	*wc = (struct abi_wc){.wr_id = q->wr_id, .status = q->status, .qp_num = q->read_qp_num(q)};
	if (q->status) {
		wc->vendor_err = q->read_vendor_err(q);
		return;
	}
	wc->opcode = q->read_opcode(q);
	wc->byte_len = q->read_byte_len(q);
	wc->wc_flags = q->read_wc_flags(q);
	if (wc->wc_flags & (WITH_IMM | WITH_INV))
		wc->imm_data = q->read_imm_data(q);
	wc->src_qp = q->read_src_qp(q);
	wc->slid = q->read_slid(q);
	wc->sl = q->read_sl(q);
	wc->dlid_path_bits = q->read_dlid_path_bits(q);
}

static uint64_t read_time(struct abi_cq_ex *q, uint64_t kind)
{
	if (q->status)
		return 0;
	return kind == ABI_WC_EX_WITH_COMPLETION_TIMESTAMP ? q->read_completion_ts(q) : q->read_completion_wallclock_ns(q);
}

void fast_poll_cq_ex(void *poll_cq_ex)
{
	struct poll_cq_ex *p = poll_cq_ex;
	struct abi_poll_cq_attr attr = {0};
	int max = p->max, err;

	p->got = 0;
	do
		err = p->cq->start_poll(p->cq, &attr);
	while (err == ENOENT && --max > 0);
	if (err) {
		p->got = err == ENOENT || err == EBUSY ? 0 : -fast_status(err); /* EBUSY: the wall clock is being set */
		return;
	}
	do {
		read_completion(p->cq, &p->wc[p->got]);
		if (p->times)
			p->times[p->got] = read_time(p->cq, p->kind);
	} while (++p->got < p->n && !(err = p->cq->next_poll(p->cq)));
	p->cq->end_poll(p->cq);
}
