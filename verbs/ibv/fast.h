/* The calls of the timed loops: one crossing from Go for a burst. */
#ifndef IBPERF_FAST_H
#define IBPERF_FAST_H

#include "abi.h"

/* What posting a list came to: an errno, and the first request not posted. */
struct posted {
	int err;
	void *bad;
};

struct posted fast_post_send(struct abi_qp *qp, struct abi_send_wr *wr);
struct posted fast_post_recv(struct abi_qp *qp, struct abi_recv_wr *wr);

/* fast_poll polls until something arrives, at most max times. */
int fast_poll(struct abi_cq *cq, int n, struct abi_wc *wc, int max);

int fast_req_notify(struct abi_cq *cq, int solicited_only);

/* An event taken from a channel: an errno (ETIMEDOUT after timeout_ms), and the CQ. */
struct event {
	int err;
	struct abi_cq *cq;
};

struct event fast_get_event(struct abi_comp_channel *channel, int timeout_ms);

#endif
