/*
 * Answers ibv_query_qp_data_in_order in place of libibverbs, when it is loaded
 * before it (LD_PRELOAD), for devices that promise nothing. ORDER_ANSWER is the
 * mask that the device is to promise: 3 whole messages, 2 aligned blocks, 0 nothing.
 *
 * Built under a name like libibverbs.so.1.14.44.0 it passes for that version, and
 * behaves so: before 46 flags were unknown, before 60 DEVICE_ONLY was.
 */
#include <stdint.h>
#include <stdlib.h>

#define RETURN_CAPS 1u

int ibv_query_qp_data_in_order(void *qp, int op, uint32_t flags)
{
	const char *answer = getenv("ORDER_ANSWER");
	int caps = answer ? atoi(answer) : 0;

	(void)qp;
	if (op != 0 && op != 2 && op != 4) /* RDMA_WRITE, SEND, RDMA_READ */
		return 0;
	return flags & RETURN_CAPS ? caps : caps & 1;
}
