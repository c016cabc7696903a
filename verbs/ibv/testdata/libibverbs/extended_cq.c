/* Extended CQs, with timestamps, and event moderation. */
#include "stub.h"

#include <time.h>

static struct cq *of(struct abi_cq_ex *ex) { return (struct cq *)ex; }

/* advance moves to the next completion. */
static int advance(struct abi_cq_ex *ex)
{
	struct cq *q = of(ex);
	int got = take_completion(q->s, &q->wc, &q->time);

	if (got <= 0)
		return got ? EIO : ENOENT;
	ex->wr_id = q->wc.wr_id;
	ex->status = q->wc.status;
	return 0;
}

static int start_poll(struct abi_cq_ex *ex, struct abi_poll_cq_attr *attr) { return attr->comp_mask ? EINVAL : advance(ex); }
static void end_poll(struct abi_cq_ex *ex) { ex->wr_id = ex->status = -1; /* a later read would be a mistake */ }

#define READ_MEMBER(type, member) \
	static type read_##member(struct abi_cq_ex *ex) { return of(ex)->wc.member; }
READ_MEMBER(uint32_t, opcode)
READ_MEMBER(uint32_t, vendor_err)
READ_MEMBER(uint32_t, byte_len)
READ_MEMBER(uint32_t, imm_data)
READ_MEMBER(uint32_t, qp_num)
READ_MEMBER(uint32_t, src_qp)
READ_MEMBER(unsigned int, wc_flags)
READ_MEMBER(uint32_t, slid)
READ_MEMBER(uint8_t, sl)
READ_MEMBER(uint8_t, dlid_path_bits)

static uint64_t read_ts(struct abi_cq_ex *ex) { return of(ex)->time; }

static uint64_t read_wallclock(struct abi_cq_ex *ex)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec - (now() - of(ex)->time);
}

struct abi_cq_ex *create_cq_ex(struct abi_context *c, struct abi_cq_init_attr_ex *init)
{
	const uint64_t stamps = ABI_WC_EX_WITH_COMPLETION_TIMESTAMP | ABI_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	struct abi_cq *cq;
	struct abi_cq_ex *ex;

	if (init->wc_flags & ~(ABI_WC_STANDARD_FLAGS | stamps) || init->comp_mask & ~ABI_CQ_INIT_ATTR_MASK_FLAGS) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	cq = ibv_create_cq(c, init->cqe, init->cq_context, init->channel, init->comp_vector);
	if (!cq)
		return NULL;
	ex = (struct abi_cq_ex *)cq;
	of(ex)->s->stamped = !!(init->wc_flags & stamps);
	ex->start_poll = start_poll;
	ex->next_poll = advance;
	ex->end_poll = end_poll;
#define READS(member) ex->read_##member = read_##member
	READS(opcode);
	READS(vendor_err);
	READS(byte_len);
	READS(imm_data);
	READS(qp_num);
	READS(src_qp);
	READS(wc_flags);
	READS(slid);
	READS(sl);
	READS(dlid_path_bits);
	ex->read_completion_ts = read_ts;
	ex->read_completion_wallclock_ns = read_wallclock;
	return ex;
}

/* It ignores the moderation, which the manual leaves to the device. */
int modify_cq(struct abi_cq *cq, struct abi_modify_cq_attr *a)
{
	int ret = result("modify_cq");

	return ret ? ret : a->attr_mask != ABI_CQ_ATTR_MODERATE ? EINVAL : 0;
}
