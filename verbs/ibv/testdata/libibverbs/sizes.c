/*
 * The memory that libmlx5 would take for an object, from providers/mlx5 of rdma-core 64: the send queue
 * by _sq_overhead and mlx5_calc_send_wqe, the receive queue by mlx5_calc_rq_size, both in one buffer by
 * mlx5_calc_wq_size and mlx5_alloc_qp_buf (verbs.c), a CQ by create_cq (verbs.c). All of it is pinned.
 */
#include "stub.h"

#include <fcntl.h>

enum { CONTROL = 16, REMOTE = 16, ATOMIC = 16, SEGMENT = 16, ADDRESS = 48, SRQ_NUMBER = 16, UMR = 48, MEMORY_KEY = 64, UNIT = 64, PAGE = 4096 };

#define IS(operations, opcode) ((operations) & 1 << (opcode))

static size_t align(size_t n, size_t to) { return (n + to - 1) / to * to; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t power_of_two(size_t n)
{
	size_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* overhead returns the bytes of a WQE in front of its data. */
static size_t overhead(const struct abi_qp_init_attr_ex *init)
{
	uint64_t all = init->qp_type == UD ? 1 << SEND | 1 << SEND_IMM : (1 << (SEND_INV + 1)) - 1;
	uint64_t ops = init->comp_mask & ABI_QP_INIT_ATTR_SEND_OPS_FLAGS ? init->send_ops_flags : all;
	size_t size = CONTROL;

	if (IS(ops, WRITE) || IS(ops, WRITE_IMM) || IS(ops, READ))
		size = CONTROL + REMOTE;
	if (IS(ops, SWAP) || IS(ops, ADD))
		size = CONTROL + REMOTE + ATOMIC;
	if (IS(ops, BIND_MW) || IS(ops, LOCAL_INV))
		size = CONTROL + UMR + MEMORY_KEY + 64;
	return size + (init->qp_type == UD ? ADDRESS : init->qp_type == XRC_SEND ? SRQ_NUMBER : 0);
}

static size_t send_queue(const struct abi_qp_init_attr_ex *init)
{
	size_t before = overhead(init), inlined = 0;

	if (init->cap.max_inline_data)
		inlined = before + align(4 + init->cap.max_inline_data, SEGMENT);
	return power_of_two(init->cap.max_send_wr * align(larger(before + init->cap.max_send_sge * SEGMENT, inlined), UNIT));
}

static size_t receive_queue(const struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	size_t n = init->cap.max_recv_wr, wqe = power_of_two(SEGMENT * larger(init->cap.max_recv_sge, 1));

	if (init->srq || !n)
		return 0;
	if (flags & ABI_MLX5DV_QP_CREATE_OOO_DP && n > 1)
		n *= 2;
	return larger(power_of_two(n) * wqe, UNIT);
}

static void account(const char *what, size_t bytes)
{
	const char *file = getenv("STUB_SIZES");
	int fd = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%s %zu\n", what, bytes);
	close(fd);
}

void account_qp(const struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	account("send-queue", send_queue(init));
	account("pinned", align(send_queue(init) + receive_queue(init, flags), PAGE));
}

void account_cq(int cqe) { account("pinned", align(power_of_two(cqe + 1) * 64, PAGE)); }
void account_mr(uint64_t addr, size_t length) { account("pinned", align(addr + length, PAGE) - addr / PAGE * PAGE); }
