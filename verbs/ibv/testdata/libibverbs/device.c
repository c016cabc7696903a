/* The device, its context and its port. */
#include "stub.h"

#include <fcntl.h>

static struct abi_device only = {.node_type = 1 /* CA */, .name = "stub0", .dev_name = "uverbs99"};

struct abi_device **ibv_get_device_list(int *n)
{
	static struct abi_device *devices[] = {&only, NULL};

	snprintf(only.ibdev_path, sizeof only.ibdev_path, "%s", getenv("STUB_SYSFS") ? getenv("STUB_SYSFS") : "");
	if (n)
		*n = 1;
	return devices;
}

void ibv_free_device_list(struct abi_device **list) {}

const char *ibv_get_device_name(struct abi_device *d) { return d->name; }

static int query_port(struct abi_context *c, uint8_t port, struct abi_port_attr *a, size_t size)
{
	int efa = number("STUB_EFA", 0) != 0, lids = !ethernet() && !efa;
	struct abi_port_attr all = {
		.state = number("STUB_STATE", 4 /* ACTIVE */), .max_mtu = 5, .active_mtu = 5, .gid_tbl_len = 2, .pkey_tbl_len = 1, .max_msg_sz = efa ? EFA_MESSAGE : MESSAGE,
		.lid = lids ? port : 0, .sm_lid = lids, .flags = !lids && !efa /* GRH_REQUIRED */, .active_width = 1, .phys_state = 5 /* LinkUp */,
		.link_layer = efa ? 0 : lids ? 1 : 2, .qkey_viol_cntr = shared->qkey_violations,
		.active_speed = number("STUB_SPEED", 0), .active_speed_ex = number("STUB_SPEED_EX", 0),
	};
	size_t known = getenv("STUB_SPEED_EX") ? sizeof all : offsetof(struct abi_port_attr, active_speed_ex);

	memcpy(a, &all, size < known ? size : known);
	return port >= 1 && port <= ports() ? result("query_port") : EINVAL;
}

/* ibv_query_port without a size, as of old libraries. */
int ibv_query_port(struct abi_context *c, uint8_t port, struct abi_port_attr *a)
{
	return query_port(c, port, a, offsetof(struct abi_port_attr, port_cap_flags2));
}

static const struct abi_context_ops plain = {
	.alloc_mw = alloc_mw, .bind_mw = bind_mw, .dealloc_mw = dealloc_mw,
	.poll_cq = poll_cq, .req_notify_cq = req_notify_cq, .post_send = post_send, .post_recv = post_recv, .post_srq_recv = post_srq_recv,
};
static const struct abi_context_ops with_knobs = {
	.alloc_mw = alloc_mw, .bind_mw = bind_mw, .dealloc_mw = dealloc_mw,
	.poll_cq = poll_cq_knobs, .req_notify_cq = req_notify_cq_knobs, .post_send = post_send_knobs, .post_recv = post_recv_knobs,
	.post_srq_recv = post_srq_recv_knobs,
};

static int query_device_ex(struct abi_context *c, const void *input, struct abi_device_attr_ex *a, size_t size)
{
	struct abi_device_attr_ex all = {
		.phys_port_cnt_ex = ports(), .completion_timestamp_mask = UINT64_MAX, .hca_core_clock = 1000000, /* in kHz: timestamps are in ns */
		.cq_mod_caps = {UINT16_MAX, UINT16_MAX},
	};
	int ret = ibv_query_device(c, &all.orig_attr);

	memcpy(a, &all, size < sizeof all ? size : sizeof all);
	return ret;
}

/* set_operations sets the newer operations, up to the limit of STUB_ABI. */
static void set_operations(struct context *whole)
{
	struct abi_context *c = &whole->context;
	long all = sizeof whole->operations + sizeof whole->size, size = number("STUB_ABI", all);

	c->abi_compat = size ? (void *)UINTPTR_MAX : NULL;
	whole->size = sizeof *c + (size < all ? size : all);
#define OPERATION(distance, function) *(void **)((char *)c - (distance)) = function
	OPERATION(ABI_QUERY_PORT, query_port);
	OPERATION(ABI_QUERY_DEVICE_EX, query_device_ex);
	OPERATION(ABI_OPEN_XRCD, open_xrcd);
	OPERATION(ABI_CLOSE_XRCD, close_xrcd);
	OPERATION(ABI_CREATE_SRQ_EX, create_srq_ex);
	OPERATION(ABI_GET_SRQ_NUM, get_srq_num);
	OPERATION(ABI_CREATE_QP_EX, create_qp_ex);
	OPERATION(ABI_OPEN_QP, open_qp);
	OPERATION(ABI_CREATE_CQ_EX, create_cq_ex);
	OPERATION(ABI_MODIFY_CQ, modify_cq);
	OPERATION(ABI_ALLOC_TD, alloc_td);
	OPERATION(ABI_DEALLOC_TD, dealloc_td);
	OPERATION(ABI_ALLOC_PARENT_DOMAIN, alloc_parent_domain);
	OPERATION(ABI_ADVISE_MR, advise_mr);
}

struct abi_context *ibv_open_device(struct abi_device *d)
{
	struct context *whole = object("open_device", sizeof *whole);
	struct note note = {(void *)1, 0, 3, 0};
	int fds[2];

	if (!whole)
		return NULL;
	errno = share();
	if (errno || pipe2(fds, O_CLOEXEC))
		return NULL;
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	whole->serial = serial();
	whole->context = (struct abi_context){
		.device = d, .async_fd = fds[0], .cmd_fd = fds[1], .num_comp_vectors = 1, .ops = knobs() ? with_knobs : plain,
	};
	set_operations(whole);
	set_card();
	start_timer();
	if (getenv("STUB_ASYNC")) {
		note.type = number("STUB_ASYNC", 0);
		raise_note(&(struct pipe){self, fds[1], whole->serial}, note);
	}
	return &whole->context;
}

int ibv_close_device(struct abi_context *c)
{
	struct context *w = whole(c);
	int ret = result("close_device");

	if (ret)
		return ret;
	leave(w->serial);
	forget_pages(c);
	close(c->async_fd);
	close(c->cmd_fd);
	memset(c, 0xa5, sizeof *c); /* a use after free crashes */
	free(w);
	return 0;
}

int ibv_query_device(struct abi_context *c, struct abi_device_attr *a)
{
	*a = (struct abi_device_attr){
		.fw_ver = "1", .node_guid = 1, .sys_image_guid = 1, .vendor_id = number("STUB_VENDOR", number("STUB_EFA", 0) ? 0x1d0f /* Amazon */ : 1), .vendor_part_id = number("STUB_PART", 0), .phys_port_cnt = ports(),
		.device_cap_flags = number("STUB_XRC", 1) << 20 /* XRC */ | 1 << 13 /* SRQ_RESIZE */ |
				    1 << 17 | 1 << 24 /* MEM_WINDOW of type 1, and 2B */, .page_size_cap = 4096,
		.max_mr_size = UINT64_MAX, .max_qp = QPS - 1, .max_qp_wr = DEPTH, .max_sge = max_sge(), .max_sge_rd = max_sge(),
		.max_cq = CQS - 1, .max_cqe = COMPLETIONS, .max_mr = REGIONS - 1, .max_mw = REGIONS - 1, .max_pd = REGIONS, .max_ah = REGIONS,
		.max_srq = SRQS - 1, .max_srq_wr = DEPTH, .max_srq_sge = ELEMENTS, .atomic_cap = 2 /* GLOB */,
		.max_mcast_grp = QPS, .max_mcast_qp_attach = MEMBERS, .max_total_mcast_qp_attach = GROUPS * QPS,
		.max_qp_rd_atom = DEPTH_READS, .max_qp_init_rd_atom = DEPTH_READS, .max_res_rd_atom = DEPTH_READS * QPS, .max_pkeys = 1,
	};
	identify(a);
	return result("query_device");
}
