/*
 * A libibverbs.so.1 with one device, stub0, that has no hardware. Tests load it in place of
 * the real library (LD_LIBRARY_PATH, or LD_PRELOAD for programs that link with other functions
 * of it), to run without RDMA and to provoke rare behaviour of devices.
 *
 * QPs reach each other within a process and, with STUB_SHARED, between processes: their state
 * is in one shared file, and registering memory replaces the pages of the buffer by shared
 * pages. The requester executes a request before the post returns, with stores into the peer's
 * memory. A request that must wait (no receive, a peer that is not ready) stays in the send
 * queue until it can be executed or its retries are exhausted. The library lacks device memory
 * and flows. It refuses a region that partly overlaps another one.
 *
 * The environment changes its behaviour. Each call reads the environment, except the calls that
 * post, poll and arm, which do so only if a variable was set when the device was opened.
 *
 *	STUB_SHARED=file     processes with the same file reach each other; best in /dev/shm
 *	STUB_FAIL=failures   errno, of all calls, or call:errno,... such as create_qp:12: calls that
 *	                     create return NULL and all others -1, with that errno
 *	STUB_RETURN=n        calls that return an int return n; those that return a count, only if
 *	                     n is negative
 *	STUB_CRASH=fault     post_send stores at address 0x10; with abort, it calls abort()
 *	STUB_EVENTS=1        a CQ with a channel raises an event each time it is armed, at once
 *	STUB_REUSE=1         create_cq waits for a CQ that is destroyed, and uses its memory; destroy_cq
 *	                     waits until that other CQ has been armed; each waits for up to 10 s
 *	STUB_DELAY=us        delays completions by us microseconds
 *	STUB_SCATTER=bytes   SENDs of up to this many bytes, at most 32, are in the CQE until it is
 *	                     polled, except for QPs of mlx5dv_create_qp without scatter to CQE
 *	STUB_ORDER=caps      the promise of data order: a mask of 1 whole messages and 2 blocks,
 *	                     initially 3
 *	STUB_XRC=0           the device has no XRC
 *	STUB_PORTS=n         the device has n ports; a QP is reached through its own port
 *	STUB_LINK=1          the port's link layer is InfiniBand, not Ethernet
 *	STUB_STATE=n         the ports' state, such as 1 for DOWN
 *	STUB_ASYNC=type      opening the device raises this asynchronous event for port 1
 *	STUB_ABI=n           the context has only the newer operations in the n bytes in front of
 *	                     it; 0: it is of a library without them
 *	STUB_VENDOR=id       vendor_id of the device
 *	STUB_SPEED=code      active_speed of the port
 *	STUB_SPEED_EX=code   its active_speed_ex; unset: the library is older than that member
 *	STUB_PART=id         its vendor_part_id
 *	STUB_SIZES=file      QPs, CQs and regions append what they would take with libmlx5 to the file, as
 *	                     lines "send-queue BYTES" and "pinned BYTES"
 *	STUB_PORT_SPEED=n    the effective speed of the port in 100 Mb/s; unset: the device has no such call
 *	STUB_TPH=1           the device has DMA handles; 0: its kernel has none; unset: its provider has none
 *	STUB_HINTS=file      regions with a DMA handle append a line with the hints to the file, and handles that
 *	                     are freed append "freed"
 *	STUB_COUNTERS=1      the device has completion counters
 *	STUB_MLX5=1          libmlx5 drives the device; it is this library under a second name
 *	STUB_EFA=n           libefa drives the device; it is this library under a third name. The
 *	                     device has device_caps n - 1, SRD QPs and no RC, and its port has no
 *	                     known link layer
 *	STUB_OVERTAKE=n      one in every n requests of an SRD QP is executed, and completes, after
 *	                     the requests that follow it, up to the next such request or for 1 ms
 *
 *	STUB_CONNECTX=1      the device is like a ConnectX-7 in what mlx5 does differently: no move from RTS to
 *	                     SQD, ENOMEM for a send posted below RTS, and an event at once when a CQ that
 *	                     holds completions is armed (see the sources in verbstest's quirks_mlx5.txt)
 *	STUB_SYSFS=folder    the device's folder in sysfs
 *	STUB_TYPES=mask      the types that the device has of RC, UC and UD, a mask of 1 << type
 *	STUB_FAULT=name      a fault: "data", the last byte of a WRITE longer than 64 bytes is wrong;
 *	                     "completion", one in every 8 completions of sends is missing; "status", a
 *	                     wrong remote key is REM_OP_ERR; "event", an armed CQ raises one in every 4
 *	                     events; "state", a failed request leaves its QP in RTS
 *
 *	STUB_OOO=n           the mlx5 device has RC QPs with MLX5DV_QP_CREATE_OOO_DP and up to n receives,
 *	                     which promise no order
 *
 * Of a QP's number bit 23 is MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE, and bit 22 MLX5DV_QP_CREATE_OOO_DP.
 */
#ifndef STUB_H
#define STUB_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../library.h"
#include "../../newer.h"

#define DECLARE_STUB(result, name, parameters, arguments) result ibv_##name parameters;
LIBIBVERBS(DECLARE_STUB)

enum {
	DEPTH = 16384,          /* requests in a queue */
	ELEMENTS = 16,          /* of a request */
	INLINE = 1024,          /* bytes */
	COMPLETIONS = 1 << 17,  /* in a CQ */
	QPS = 4096,
	CQS = 4096,
	SRQS = 1024,
	REGIONS = 1 << 16,
	COUNTERS = 64,
	GROUPS = 8,             /* of a QP */
	MEMBERS = 64,           /* QPs of a group */
	HANDLES = 4,            /* of an XRC_RECV QP */
	DEPTH_READS = 16,       /* outstanding READs and atomic operations */
	MESSAGE = 8 << 20,      /* bytes */
	MTU_BYTES = 4096,
	EFA_MESSAGE = 8928,     /* bytes of a SEND over SRD */
	EFA_ELEMENTS = 2,
	EFA_INLINE = 32,
	GRH = 40,
	HELD = 32,              /* bytes of a message in a CQE */
};
#define RESERVED UINT32_MAX /* number of a slot that is taken, and not filled in */

enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR }; /* states of a QP */
enum { RC = 2, UC, UD, XRC_SEND = 9, XRC_RECV, SRD = 255 }; /* types */
enum { LOCAL_WRITE = 1, REMOTE_WRITE = 2, REMOTE_READ = 4, REMOTE_ATOMIC = 8, MW_BIND = 16, ZERO_BASED = 32, ON_DEMAND = 64, RELAXED = 1 << 20 };
enum { WRITE, WRITE_IMM, SEND, SEND_IMM, READ, SWAP, ADD, LOCAL_INV, BIND_MW, SEND_INV }; /* opcodes */
enum { FENCE = 1, SIGNALED = 2, SOLICITED = 4, INLINED = 8 };
enum {
	SUCCESS, LOC_LEN_ERR, LOC_QP_OP_ERR, LOC_PROT_ERR = 4, WR_FLUSH_ERR, MW_BIND_ERR, REM_INV_REQ_ERR = 9, REM_ACCESS_ERR, REM_OP_ERR,
	RETRY_EXC_ERR, RNR_RETRY_EXC_ERR,
};
enum {
	CQ_ERR, QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, COMM_EST, SQ_DRAINED, SRQ_LIMIT_REACHED = 15, QP_LAST_WQE_REACHED,
}; /* asynchronous events */

/* Where events go: a pipe of a process, which others open by its descriptor. */
struct pipe {
	int pid, fd;
	uint32_t serial; /* of the pipe, among all there ever were */
};

/* A completion. Its request is the number of a QP and how many requests it frees. */
struct cqe {
	struct abi_wc wc;
	uint32_t qp, posted;
	uint64_t due; /* in ns, with a delay or a timestamp */
	uint32_t solicited;
	uint64_t held_at;
	uint32_t held; /* bytes */
	char data[HELD];
} __attribute__((aligned(128)));

struct cqs {
	uint32_t num, uses; /* 0: free. Of all tables the slot, with a count of its uses above it */
	int size, ring, overrun, stamped;
	uint64_t delay; /* in ns */
	struct pipe home, channel; /* serial 0: without a channel */
	void *owner;
	uint32_t putting __attribute__((aligned(64))); /* lock */
	uint32_t in;
	enum { NOT, SOLICITED_ONLY, ALL } armed; /* for which completions */
	uint32_t told; /* with a delay: which completion is the next to be due */
	uint32_t taking __attribute__((aligned(64))); /* lock */
	uint32_t out;
	struct cqe cqe[COMPLETIONS];
};

struct recv {
	uint64_t wr_id;
	int num_sge;
	struct abi_sge sge[ELEMENTS];
};

struct receives {
	uint32_t lock, in, out;
	uint32_t max, max_sge, wanted; /* wanted: somebody waits for a receive */
	struct recv recv[DEPTH];
};

struct srqs {
	uint32_t num, uses, pd, type, domain, cq, limit;
	struct pipe home;
	void *owner;
	struct receives receives;
};

/* A request that waits. */
struct entry {
	struct abi_send_wr wr;
	struct abi_sge sge[ELEMENTS];
	union abi_gid dgid;
	uint8_t hop_limit, traffic_class, begun, port; /* port: that it leaves by */
	char data[INLINE];
};

/* What a QP consists of, for all processes. */
struct qps {
	uint32_t num, uses, type, state, pd, domain, srq, send_cq, recv_cq, sig_all, established;
	uint32_t to_port; /* that its path leads to */
	uint32_t out_of_order;
	uint32_t scatter; /* bytes that its CQEs hold */
	uint32_t signals; /* every request has to be signaled */
	uint32_t overtake; /* each request of so many is overtaken; 0: none is */
	struct abi_qp_attr attr;
	struct abi_qp_cap cap;
	struct pipe home;
	void *handles[HANDLES];
	union abi_gid groups[GROUPS];
	int joined;
	uint32_t sending __attribute__((aligned(64))); /* lock, of all up to waits */
	uint32_t posted, in, out, psn;                 /* in and out are of waiting */
	uint32_t counter; /* of WRITEs of its peer, counted from 1; 0: none */
	int notify, waits;                             /* waits: for what, from when to when */
	uint64_t deadline;
	uint32_t freed __attribute__((aligned(64))); /* by completions that were polled, of posted */
	uint32_t expected __attribute__((aligned(64))); /* PSN */
	struct receives receives;
	struct entry waiting[DEPTH];
};

struct region {
	uint32_t key, uses, pd, access;
	int pid, fd;
	uint64_t iova, length, addr;
	uint64_t offset, size; /* in and of the file that its pages are */
	uint32_t windows;      /* that are bound to it */
	uint32_t type, of, qp; /* of a window: 1 or 2; the region that it is bound to; through which QP alone */
};

/* The shared file. Everything in it begins as zero. */
struct shared {
	uint32_t lock; /* of what is free, groups, and counts */
	uint32_t serial, qkey_violations;
	uint32_t top[4]; /* slots that were ever used: of QPs, CQs, SRQs, regions */
	struct { uint32_t taken; uint64_t value; } counter[COUNTERS];
	struct region region[REGIONS];
	struct srqs srq[SRQS];
	struct cqs cq[CQS];
	struct qps qp[QPS];
};

/* Objects as the caller knows them. */
struct acks {
	unsigned got, acked; /* events */
};

struct pd {
	struct abi_pd { struct abi_context *context; uint32_t handle; } pd;
	uint32_t number;
	int refs;
	struct pd *of; /* of a parent domain, whose number is this one's */
	struct td *td;
};

struct td {
	struct abi_td td;
	int refs;
};

enum { DMAH_CPU = 1, DMAH_PH = 2, DMAH_MEMORY = 4 }; /* comp_mask of abi_dmah_init_attr */

struct dmah {
	struct abi_dmah dmah;
	struct abi_dmah_init_attr init;
	int refs;
};

struct mr {
	struct abi_mr mr;
	struct region *s;
	struct dmah *hints; /* or NULL */
};

struct counter {
	struct abi_comp_cntr counter;
	int refs;
};

struct channel {
	struct abi_comp_channel channel;
	uint32_t serial;
};

struct cq {
	union {
		struct abi_cq cq;
		struct abi_cq_ex ex;
	};
	struct abi_wc wc; /* that an extended one is at, */
	uint64_t time;    /* and when that came */
	struct cqs *s;
	uint32_t num;
	int refs;
	struct acks events, async;
	struct cq *next; /* of those that were destroyed */
	unsigned arms;
};

struct srq {
	struct abi_srq srq;
	char rest[128 - sizeof(struct abi_srq)];
	struct srqs *s;
	struct pd *pd;
	struct cq *cq;           /* of XRC */
	struct domain *domain;
	int refs;
	struct acks async;
};

struct ah {
	struct { struct abi_context *context; struct abi_pd *pd; uint32_t handle; } ah;
	struct abi_ah_attr attr;
	uint32_t domain; /* of protection */
};

/* An XRC domain, and a handle of it. */
struct domain {
	struct abi_context *context;
	dev_t dev;
	ino_t ino;
	uint32_t number;
	int handles, refs;
	struct domain *next;
};

struct xrcd {
	struct abi_xrcd xrcd;
	struct domain *domain;
};

struct qp {
	union {
		struct abi_qp qp;
		struct abi_qp_ex ex; /* of one that is posted to by ibv_wr_post */
	};
	struct qps *s;
	struct pd *pd;
	struct domain *domain;
	struct acks async;
	struct session *session; /* of ibv_wr_post */
	struct counter *counter; /* or NULL */
};

/* A context with the newer operations in front of it, counted backwards from its begin. */
struct context {
	char operations[1024 - sizeof(size_t)];
	size_t size;
	struct abi_context context;
	uint32_t serial; /* of the pipe of asynchronous events */
};

static inline struct context *whole(struct abi_context *c) { return (void *)((char *)c - offsetof(struct context, context)); }

/* shared.c: the shared file; locks of processes that may die; slots of its tables. */
extern struct shared *shared;
extern int self; /* this process */
int share(void);
void lock_slowly(uint32_t *lock);
static inline void lock(uint32_t *l)
{
	uint32_t open = 0;

	if (!__atomic_compare_exchange_n(l, &open, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		lock_slowly(l);
}
static inline void unlock(uint32_t *l) { __atomic_store_n(l, 0, __ATOMIC_RELEASE); }
uint64_t now(void);
uint32_t serial(void);
void *take(int table, uint32_t *num);
int alive(int pid);
#define EACH(type, q, table, index) struct type *q = shared->table; q < shared->table + shared->top[index]; q++
#define SLOT(table, count, number) (&shared->table[(number) & ((count) - 1)])
struct qps *find_qp(uint32_t num);
struct srqs *find_srq(uint32_t num);
void exclude_requesters(void); /* waits until requests under way have ended */
void leave(uint32_t serial);   /* frees what a context has left */

/* knobs.c: a number of the environment, or a default; whether any knob is set; what a verb
 * that returns an int returns; an object that a verb creates. */
long number(const char *name, long otherwise);
int knobs(void);
int result(const char *call);
void *object(const char *call, size_t size);

/* memory.c: the memory that a key of a domain allows to be accessed, or NULL; where its
 * owner has it. */
uint64_t owners_address(uint32_t key, uint64_t addr);
void *reach(uint32_t pd, uint32_t key, uint64_t addr, size_t length, unsigned int access);

/* card.c: what the device is like, set when it is opened; whether it has a type of QPs; its numbers;
 * whether an armed CQ holds a completion that it was armed for; counts, for one in every n. */
extern int connectx;
extern enum fault { NO_FAULT, WRONG_DATA, LOST_COMPLETION, WRONG_STATUS, LOST_EVENT, WRONG_STATE } fault;
void set_card(void);
int has_type(uint32_t type);
void identify(struct abi_device_attr *a);
int holds_armed(const struct cqs *s);
int every(unsigned n);

/* efa.c: the access flags and the elements of a request that the device allows. */
unsigned efa_rights(void);
unsigned max_sge(void);

/* windows.c: carries LOCAL_INV or BIND_MW out; takes a window's access away, or returns 0; whether
 * a window is of another QP. */
int operate_window(struct qps *q, struct abi_send_wr *wr);
int invalidate(uint32_t pd, uint32_t key);
int of_another(uint32_t key, const struct qps *q);
struct abi_mw *alloc_mw(struct abi_pd *pd, uint32_t type);
int bind_mw(struct abi_qp *qp, struct abi_mw *mw, struct abi_mw_bind *bind);
int dealloc_mw(struct abi_mw *mw);

/* domains.c, extended_cq.c, memory.c: newer operations. */
struct abi_td *alloc_td(struct abi_context *c, struct abi_td_init_attr *init);
int dealloc_td(struct abi_td *td);
struct abi_pd *alloc_parent_domain(struct abi_context *c, struct abi_parent_domain_init_attr *init);
struct abi_cq_ex *create_cq_ex(struct abi_context *c, struct abi_cq_init_attr_ex *init);
int modify_cq(struct abi_cq *cq, struct abi_modify_cq_attr *a);
int advise_mr(struct abi_pd *pd, uint32_t advice, uint32_t flags, struct abi_sge *list, uint32_t n);

/* address.c: whether a path can be, as an errno; a GRH; groups. */
int ports(void);                               /* of the device */
union abi_gid gid_of(uint32_t port);           /* the only one of a port */
uint32_t port_of(const struct abi_ah_attr *a); /* that a path leads to */
int check_path(const struct abi_ah_attr *a);
int is_group(const union abi_gid *gid);
void write_grh(char *grh, const struct entry *e, const union abi_gid *to, size_t length);
int ethernet(void);

/* completion.c: takes a completion with the time when it came (in ns, of CQs with a timestamp);
 * adds one to a CQ, by its slot, and raises the event that it is due. */
int take_completion(struct cqs *s, struct abi_wc *wc, uint64_t *time);
void complete(uint32_t cq, struct cqe *e, int solicited);
void tell_due(struct cqs *s); /* raises the event of a completion that is due by now */
void hold_back(struct cqe *e, uint64_t at, const void *data, size_t length);

/* events.c: writes to a pipe, of this process or another; asynchronous events. */
struct note {
	void *element;
	uint32_t type, table, num;
};
void notify(const struct pipe *to, const void *note, size_t size);
void raise_event(struct qps *q, uint32_t type);
void raise_note(const struct pipe *home, struct note note);
void await_acks(struct acks *a);
void fetched(struct acks *a);
void acknowledge(struct acks *a, unsigned n);

/* receive.c: takes a receive for a message; moves a QP to ERR, but for its sends. */
enum { WAIT_RECEIVE = -1, WAIT_PEER = -2 };
struct message {
	struct abi_send_wr *wr;
	struct qps *from;
	const struct entry *way; /* of UD */
	struct { char *at; size_t length; } part[ELEMENTS];
	int parts;
	size_t length;
};
int receive(struct qps *to, struct srqs *srq, struct message *m);
void fail(struct qps *q);
void copy(char *to, const char *from, size_t length);

/* execute.c: carries a request out and returns its status, or why it waits. */
int execute(struct qps *q, struct abi_send_wr *wr, const struct entry *way, size_t length);

/* send.c: posts; carries out what waits and can be; ends a QP's sends. */
int post_send(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad);
int post_send_knobs(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad);
void proceed(struct qps *q);
void proceed_all(void);
int draining(struct qps *q);

/* timer.c: a thread that looks after what waits, and after processes that died. */
void start_timer(void);

/* Operations of a context. */
int poll_cq(struct abi_cq *cq, int n, struct abi_wc *wc);
int poll_cq_knobs(struct abi_cq *cq, int n, struct abi_wc *wc);
int req_notify_cq(struct abi_cq *cq, int solicited_only);
int req_notify_cq_knobs(struct abi_cq *cq, int solicited_only);
int post_recv(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad);
int post_recv_knobs(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad);
int post_srq_recv(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad);
int post_srq_recv_knobs(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad);
struct abi_xrcd *open_xrcd(struct abi_context *c, struct abi_xrcd_init_attr *init);
int close_xrcd(struct abi_xrcd *x);
struct abi_srq *create_srq_ex(struct abi_context *c, struct abi_srq_init_attr_ex *init);
int get_srq_num(struct abi_srq *srq, uint32_t *num);
struct abi_qp *create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init);
struct abi_qp *open_qp(struct abi_context *c, struct abi_qp_open_attr *open);

/* memory.c: forgets the pages of a context that is closed with regions open. */
void forget_pages(struct abi_context *c);

/* sizes.c: appends the sizes of an object to the file of STUB_SIZES. */
void account_qp(const struct abi_qp_init_attr_ex *init, uint32_t flags);
void account_cq(int cqe);
void account_mr(uint64_t addr, size_t length);

/* qp.c: makes a QP whose number has these bits above. */
struct abi_qp *make_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags);

/* qp.c: make_qp with the operations that init asks for, if any. */
struct abi_qp *make_qp_by_operations(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags);

/* wr.c: makes a QP one that is posted to by ibv_wr_post, with these operations; reports whether
 * there is no memory for that. */
int post_by_sessions(struct qp *q, uint64_t ops);

#endif
