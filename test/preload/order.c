/*
 * Loaded in front of libibverbs (LD_PRELOAD), answers ibv_query_qp_data_in_order for
 * devices that promise nothing. ORDER_ANSWER is the mask of the answer: 3 whole
 * messages, 2 aligned blocks, 0 nothing.
 *
 * Under a name like libibverbs.so.1.14.44.0 it behaves like that version: releases
 * before 46 know no flags, releases before 60 not DEVICE_ONLY.
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
