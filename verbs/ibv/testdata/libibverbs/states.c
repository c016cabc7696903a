/* Attributes of a QP, and its moves between states. */
#include "stub.h"

#include <linux/capability.h>
#include <sys/syscall.h>

enum {
	STATE = 1 << 0, CUR = 1 << 1, NOTIFY = 1 << 2, ACCESS = 1 << 3, PKEY = 1 << 4, PORT = 1 << 5, QKEY = 1 << 6, AV = 1 << 7,
	PATH_MTU = 1 << 8, TIMEOUT = 1 << 9, RETRY = 1 << 10, RNR_RETRY = 1 << 11, RQ_PSN = 1 << 12, RD_ATOMIC = 1 << 13,
	ALT = 1 << 14, MIN_RNR = 1 << 15, SQ_PSN = 1 << 16, DEST_RD_ATOMIC = 1 << 17, MIG = 1 << 18, CAP = 1 << 19, DEST = 1 << 20,
	ALL_BITS = (1 << 21) - 1,
};

#define PATH (AV | PATH_MTU | DEST | RQ_PSN)
#define RESPONDER (DEST_RD_ATOMIC | MIN_RNR)
#define REQUESTER (RETRY | RNR_RETRY | RD_ATOMIC)
#define LATER (CUR | ALT | ACCESS | MIG)
#define DRAINED (AV | ALT | ACCESS | PKEY | MIG)
#define ALL_TYPES (1 << RC | 1 << UC | 1 << UD | 1 << XRC_SEND | 1 << XRC_RECV)
#define CONNECTED (ALL_TYPES & ~(1 << UD))

/* The moves of each QP type, except those to RESET and ERR, as in table 91 of the InfiniBand specification. */
static const struct {
	uint32_t types;
	uint8_t from, to;
	uint32_t required, optional;
} moves[] = {
	{CONNECTED, RESET, INIT, PKEY | PORT | ACCESS, 0},
	{1 << UD, RESET, INIT, PKEY | PORT | QKEY, 0},
	{CONNECTED, INIT, INIT, 0, PKEY | PORT | ACCESS},
	{1 << UD, INIT, INIT, 0, PKEY | PORT | QKEY},
	{1 << RC | 1 << XRC_RECV, INIT, RTR, PATH | RESPONDER, ALT | ACCESS | PKEY},
	{1 << UC | 1 << XRC_SEND, INIT, RTR, PATH, ALT | ACCESS | PKEY},
	{1 << UD, INIT, RTR, 0, PKEY | QKEY},
	{1 << RC, RTR, RTS, SQ_PSN | TIMEOUT | REQUESTER, LATER | MIN_RNR},
	{1 << XRC_SEND, RTR, RTS, SQ_PSN | TIMEOUT | REQUESTER, LATER},
	{1 << XRC_RECV, RTR, RTS, SQ_PSN | TIMEOUT, LATER | MIN_RNR},
	{1 << UC, RTR, RTS, SQ_PSN, LATER},
	{1 << UD, RTR, RTS, SQ_PSN, CUR | QKEY},
	{1 << RC | 1 << XRC_RECV, RTS, RTS, 0, LATER | MIN_RNR},
	{1 << UC | 1 << XRC_SEND, RTS, RTS, 0, LATER},
	{1 << UD, RTS, RTS, 0, CUR | QKEY},
	{ALL_TYPES, RTS, SQD, 0, NOTIFY},
	{1 << RC | 1 << XRC_RECV, SQD, RTS, 0, LATER | MIN_RNR},
	{1 << UC | 1 << XRC_SEND, SQD, RTS, 0, LATER},
	{1 << UD, SQD, RTS, 0, CUR | QKEY},
	{1 << RC, SQD, SQD, 0, DRAINED | PORT | TIMEOUT | REQUESTER | RESPONDER},
	{1 << XRC_SEND, SQD, SQD, 0, DRAINED | PORT | TIMEOUT | REQUESTER},
	{1 << XRC_RECV, SQD, SQD, 0, DRAINED | PORT | TIMEOUT | RESPONDER},
	{1 << UC, SQD, SQD, 0, DRAINED},
	{1 << UD, SQD, SQD, 0, PKEY | QKEY},
	{1 << UC, SQE, RTS, 0, CUR | ACCESS},
	{1 << UD, SQE, RTS, 0, CUR | QKEY},
};

/* check_move returns whether a QP may go from one state to another with these attributes. */
static int check_move(uint32_t type, uint32_t from, uint32_t to, int mask)
{
	mask &= ~STATE;
	if (type == SRD && from == RTR)
		mask &= ~RNR_RETRY;
	if (type == SRD)
		type = UD;
	if (type == XRC_SEND)
		mask &= ~RESPONDER;
	if (type == XRC_RECV)
		mask &= ~REQUESTER;
	if (to == RESET || (to == ERR && from != RESET))
		return mask & ~CUR ? EINVAL : 0;
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		if (moves[i].types >> type & 1 && moves[i].from == from && moves[i].to == to)
			return (moves[i].required & ~mask) || (mask & ~(moves[i].required | moves[i].optional)) ? EINVAL : 0;
	return EINVAL;
}

static int privileged(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	return !syscall(SYS_capget, &header, data) && data[0].effective >> CAP_NET_RAW & 1;
}

/* check_values returns an errno for attributes out of their range. */
static int check_values(const struct abi_qp_attr *a, int mask)
{
	int err = mask & AV ? check_path(&a->ah_attr) : 0;

	if (err)
		return err;
	if (mask & QKEY && a->qkey >> 31 && !privileged())
		return EPERM;
	return (mask & PORT && (a->port_num < 1 || a->port_num > ports())) || (mask & PKEY && a->pkey_index) || (mask & ACCESS && a->qp_access_flags & ~0x3ffu) ||
			       (mask & PATH_MTU && (a->path_mtu < 1 || a->path_mtu > 5)) || (mask & TIMEOUT && a->timeout > 31) ||
			       (mask & RETRY && a->retry_cnt > 7) || (mask & RNR_RETRY && a->rnr_retry > 7) ||
			       (mask & MIN_RNR && a->min_rnr_timer > 31) || (mask & RD_ATOMIC && a->max_rd_atomic > DEPTH_READS) ||
			       (mask & DEST_RD_ATOMIC && a->max_dest_rd_atomic > DEPTH_READS) || (mask & ALT && ethernet())
		       ? EINVAL : 0;
}

#define MEMBER(bit, name) {bit, offsetof(struct abi_qp_attr, name), sizeof(((struct abi_qp_attr *)0)->name)}

/* The members that each bit of modify_qp's mask names. */
static const struct {
	int bit;
	size_t at, size;
} members[] = {
	MEMBER(ACCESS, qp_access_flags), MEMBER(PKEY, pkey_index), MEMBER(PORT, port_num), MEMBER(QKEY, qkey), MEMBER(AV, ah_attr),
	MEMBER(PATH_MTU, path_mtu), MEMBER(TIMEOUT, timeout), MEMBER(RETRY, retry_cnt), MEMBER(RNR_RETRY, rnr_retry),
	MEMBER(RD_ATOMIC, max_rd_atomic), MEMBER(ALT, alt_ah_attr), MEMBER(ALT, alt_pkey_index), MEMBER(ALT, alt_port_num),
	MEMBER(ALT, alt_timeout), MEMBER(MIN_RNR, min_rnr_timer), MEMBER(DEST_RD_ATOMIC, max_dest_rd_atomic),
	MEMBER(MIG, path_mig_state), MEMBER(DEST, dest_qp_num),
};

static void set(struct qps *q, struct abi_qp_attr *a, int mask)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (mask & members[i].bit)
			memcpy((char *)&q->attr + members[i].at, (char *)a + members[i].at, members[i].size);
	if (mask & AV)
		q->to_port = port_of(&a->ah_attr);
	if (mask & SQ_PSN)
		q->psn = a->sq_psn & 0xffffff;
	if (mask & RQ_PSN)
		q->expected = a->rq_psn & 0xffffff;
	if (mask & NOTIFY)
		q->notify = a->en_sqd_async_notify;
}

static void reset(struct qps *q)
{
	lock(&q->receives.lock);
	q->state = RESET;
	q->attr = (struct abi_qp_attr){0};
	q->in = q->out;
	q->receives.in = q->receives.out;
	q->freed = q->posted;
	q->psn = q->expected = q->waits = q->notify = q->established = 0;
	unlock(&q->receives.lock);
}

/* move executes the move. The caller holds the lock. */
static int move(struct qps *q, struct abi_qp_attr *a, int mask)
{
	uint32_t from = q->state, to = mask & STATE ? a->qp_state : from;
	int err = mask & ~ALL_BITS ? EOPNOTSUPP : to > ERR || (mask & CUR && a->cur_qp_state != from) ? EINVAL : 0;

	err = err ? err : connectx && from == RTS && to == SQD ? EINVAL : check_move(q->type, from, to, mask);
	err = err ? err : check_values(a, mask);
	if (!err && from == SQD && to == RTS && draining(q))
		err = EINVAL;
	if (err)
		return err;
	if (to == RESET) {
		reset(q);
		return 0;
	}
	set(q, a, mask);
	if (to == ERR)
		fail(q);
	else
		__atomic_store_n(&q->state, to, __ATOMIC_SEQ_CST);
	return 0;
}

int ibv_modify_qp(struct abi_qp *qp, struct abi_qp_attr *a, int mask)
{
	struct qps *q = ((struct qp *)qp)->s, *peer = find_qp(q->attr.dest_qp_num);
	int ret = result("modify_qp");

	if (ret)
		return ret;
	lock(&q->sending);
	ret = move(q, a, mask);
	qp->state = q->state;
	unlock(&q->sending);
	if (ret)
		return ret;
	proceed(q);
	if (peer) /* its requests continue, or have all ended when this returns */
		proceed(peer);
	if (mask & DEST && (peer = find_qp(q->attr.dest_qp_num)))
		proceed(peer);
	return 0;
}
