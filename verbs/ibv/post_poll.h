/*
 * The calls of the timed loops: one crossing from Go for a burst. Each has its
 * arguments and results in a struct, so that cgo and package ccall can call it alike.
 */
#ifndef IBPERF_FAST_H
#define IBPERF_FAST_H

#include <errno.h>

#include "abi.h"

/*
 * status returns the errno of an operation that returned ret: most return it, some
 * providers negated, or -1 with errno set.
 */
static inline int fast_status(int ret)
{
	if (ret == -1)
		return errno ? errno : EIO;
	return ret < 0 ? -ret : ret;
}

/* Calls f(arg). */
void fast_call(void (*f)(void *), void *arg);

/* Posts a list. err is an errno, bad then the first request that was not posted. */
struct post_send {
	struct abi_qp *qp;
	struct abi_send_wr *wr, *bad;
	int err;
};

struct post_recv {
	struct abi_qp *qp;
	struct abi_recv_wr *wr, *bad;
	int err;
};

struct post_srq_recv {
	struct abi_srq *srq;
	struct abi_recv_wr *wr, *bad;
	int err;
};

/* post_send through ibv_wr_post. send_ops are the operations of the QP. */
struct post_send_ex {
	struct abi_qp_ex *qp;
	struct abi_send_wr *wr, *bad;
	uint64_t send_ops;
	int err;
};

void fast_post_send(void *post_send);
void fast_post_send_ex(void *post_send_ex);
void fast_post_recv(void *post_recv);
void fast_post_srq_recv(void *post_srq_recv);

/* Polls until there is a completion, at most max times. */
struct poll_cq {
	struct abi_cq *cq;
	struct abi_wc *wc;
	int n, max, got;
};

void fast_poll_cq(void *poll_cq);

/* Reads a counter until it differs from old, at most max times. */
typedef int (*comp_cntr_reader)(struct abi_comp_cntr *counter, uint64_t *value);

struct read_comp_cntr {
	struct abi_comp_cntr *counter;
	comp_cntr_reader read;
	uint64_t old, value;
	int max, err;
};

void fast_read_comp_cntr(void *read_comp_cntr);

/* poll_cq for an extended CQ. times are of the kind ABI_WC_EX_WITH_, or NULL. got may be a negative errno. */
struct poll_cq_ex {
	struct abi_cq_ex *cq;
	struct abi_wc *wc;
	uint64_t *times, kind;
	int n, max, got;
};

void fast_poll_cq_ex(void *poll_cq_ex);

/*
 * A post and then polls: send or send_ex, and poll, poll_ex or neither; the others are zero. begin
 * and end are the time stamp counter before the post and after the last poll, 0 without one.
 */
struct post_poll {
	struct post_send send;
	struct post_send_ex send_ex;
	struct poll_cq poll;
	struct poll_cq_ex poll_ex;
	uint64_t begin, end;
};

void fast_post_poll(void *post_poll);

struct req_notify {
	struct abi_cq *cq;
	int solicited_only, err;
};

void fast_req_notify(void *req_notify);

/*
 * Takes an event from a channel, after a wait of at most timeout_ms. err is an errno,
 * EAGAIN without an event: the channel's descriptor is non-blocking.
 */
struct get_event {
	struct abi_comp_channel *channel;
	struct abi_cq *cq;
	int timeout_ms, err;
};

void fast_get_event(void *get_event);

#endif
