/*
 * A libibverbs.so.1 with one device, stub0, that has no hardware. Tests load it in place of
 * the real one (LD_LIBRARY_PATH, -device stub0), to run without RDMA and to make happen what
 * a device does rarely.
 *
 * Its connected QPs reach each other within the process. What is posted to send is carried
 * out before the call returns, and fails if the peer has no receive. Keys other than 0 are
 * checked. Not there are: UD, XRC and multicast beyond their objects, atomic operations,
 * WRITEs with immediate data, asynchronous events, other processes, attributes and limits of
 * SRQs, other sizes of CQs, P_Keys, and the rules of what create_qp and modify_qp take.
 *
 * The environment says what is otherwise. It is looked at in each call.
 *
 *	STUB_FAIL=errno      what creates returns NULL and all else -1, with that errno
 *	STUB_RETURN=n        what returns an int returns n; what counts, only if it is below 0
 *	STUB_CRASH=fault     post_send stores at address 0x10; with abort, it calls abort()
 *	STUB_EVENTS=1        a CQ with a channel raises an event each time it is armed, at once
 *	STUB_REUSE=1         destroy_cq returns only after its memory has become another CQ that
 *	                     has been armed, or after 10 s
 *	STUB_VENDOR=id       vendor_id of the device
 *	STUB_SPEED=code      active_speed of the port
 *	STUB_SPEED_EX=code   its active_speed_ex; without it the library is older than that member
 *	STUB_MLX5=1          the device is one of libmlx5, which is this library under a second name
 *
 *	STUB_EFA=n           the device is one of libefa, which is this library under a third
 *	                     name: it has no RC, and with n - 1 for device_caps QPs of SRD
 *
 * The number of a QP tells who made it: ibv_create_qp counts from 1, mlx5dv_create_qp from
 * 0x500 and its create_flags.
 */
#ifndef STUB_H
#define STUB_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../library.h"

#define DECLARE_STUB(result, name, parameters, arguments) result ibv_##name parameters;
LIBIBVERBS(DECLARE_STUB)

enum {
	DEPTH = 64,         /* requests in a queue */
	ELEMENTS = 8,       /* of a request */
	COMPLETIONS = 1024, /* in a CQ */
	OBJECTS = 256,      /* QPs, and regions */
	MESSAGE = 1 << 20,  /* bytes */
};

enum { RESET, RTR = 2, RTS, ERR = 6 }; /* states of a QP */

struct abi_pd {
	struct abi_context *context;
};

struct cq {
	struct abi_cq cq;
	struct cq *next; /* of those that were destroyed */
	enum { NOT, SOLICITED_ONLY, ALL } armed; /* for which completions */
	unsigned arms, in, out;
	struct abi_wc wc[COMPLETIONS];
};

struct receives {
	unsigned in, out;
	struct recv {
		uint64_t wr_id;
		int num_sge;
		struct abi_sge sge[ELEMENTS];
	} recv[DEPTH];
};

struct srq {
	struct abi_srq srq;
	struct receives receives;
};

struct qp {
	union {
		struct abi_qp qp;
		struct abi_qp_ex ex; /* of one that is posted to by ibv_wr_post */
	};
	struct abi_qp_attr attr;
	struct abi_qp_cap cap;
	int sig_all;
	void **slot; /* where the QP stands in the table of all */
	struct receives receives;
};

/* Over all that the functions below share between calls. */
extern pthread_mutex_t lock;

/* device.c: a number of the environment, or 0; what a verb that returns an int returns; an
 * object that a verb creates, which all begin with their context; its end, also that of
 * its entry in a table. */
uint32_t number(const char *name);
int result(void);
void *object(struct abi_context *c, size_t size);
int done(void *object, void **slot);

/* A verb whose first argument must be there, and which does nothing with it. */
#define NOTHING(name, object, ...) \
	int ibv_##name(object, __VA_ARGS__) \
	{ \
		*(volatile char *)o; \
		return result(); \
	}

/* memory.c: the memory that a key allows to be accessed, or NULL; key 0 allows all. */
void *reach(uint32_t key, uint64_t addr, size_t length, unsigned int access);

/* queues.c: makes a QP, with a number from first on; the one with a number, or NULL. */
struct abi_qp *make_qp(struct abi_context *c, struct abi_pd *pd, struct abi_qp_init_attr *init, uint32_t first);
struct qp *find_qp(uint32_t num);

/* wr.c: makes a QP one that is posted to by ibv_wr_post, with these operations. */
void post_by_sessions(struct abi_qp_ex *q, uint64_t ops);

/* loopback.c: moves a QP to ERR, with completions for its receives. */
void fail(struct qp *q);

/* events.c: adds a completion, and raises the event that it is due. */
void complete(struct abi_cq *cq, struct abi_wc wc, int solicited);

/* Operations of a context. */
int poll_cq(struct abi_cq *cq, int n, struct abi_wc *wc);
int req_notify_cq(struct abi_cq *cq, int solicited_only);
int post_send(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad);
int post_recv(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad);
int post_srq_recv(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad);
struct abi_xrcd *open_xrcd(struct abi_context *c, struct abi_xrcd_init_attr *init);
int close_xrcd(struct abi_xrcd *x);
struct abi_srq *create_srq_ex(struct abi_context *c, struct abi_srq_init_attr_ex *init);
int get_srq_num(struct abi_srq *srq, uint32_t *num);
struct abi_qp *create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init);

#endif
