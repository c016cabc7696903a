/* The device, its context and its port. */
#include "stub.h"

static struct abi_device device = {.node_type = 1 /* CA */, .name = "stub0", .dev_name = "uverbs99"};
static struct abi_device *devices[] = {&device, NULL};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 0) : 0;
}

int result(void)
{
	int err = number("STUB_FAIL");

	errno = err;
	return err ? -1 : (int)number("STUB_RETURN");
}

void *object(struct abi_context *c, size_t size)
{
	struct abi_context **o = result() == -1 && errno ? NULL : calloc(1, size);

	if (o)
		*o = c;
	return o;
}

int done(void *object, void **slot)
{
	int ret = result();

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	if (slot)
		*slot = NULL;
	pthread_mutex_unlock(&lock);
	free(object);
	return 0;
}

struct abi_device **ibv_get_device_list(int *n)
{
	*n = 1;
	return devices;
}

void ibv_free_device_list(struct abi_device **list) {}

static int query_port(struct abi_context *c, uint8_t port, struct abi_port_attr *a, size_t size)
{
	struct abi_port_attr all = {
		.state = 4 /* ACTIVE */, .max_mtu = 5, .active_mtu = 5, .gid_tbl_len = 1, .pkey_tbl_len = 1,
		.max_msg_sz = MESSAGE, .active_width = 1, .phys_state = 5 /* LinkUp */, .link_layer = 2 /* Ethernet */,
		.active_speed = number("STUB_SPEED"), .active_speed_ex = number("STUB_SPEED_EX"),
	};
	size_t known = getenv("STUB_SPEED_EX") ? sizeof all : offsetof(struct abi_port_attr, active_speed_ex);

	memcpy(a, &all, size < known ? size : known);
	return port == 1 ? result() : EINVAL;
}

/* A context with the newer operations in front of it, counted backwards from its begin. */
struct context {
	char operations[ABI_QUERY_PORT - sizeof(size_t)];
	size_t size;
	struct abi_context context;
};

struct abi_context *ibv_open_device(struct abi_device *d)
{
	struct context *whole = calloc(1, sizeof *whole);
	struct abi_context *c = &whole->context;
	int fds[2];

	if (!whole || pipe(fds))
		return NULL;
	*c = (struct abi_context){
		.device = d, .async_fd = fds[0], .cmd_fd = fds[1], .num_comp_vectors = 1, .abi_compat = (void *)UINTPTR_MAX,
		.ops = {.poll_cq = poll_cq, .req_notify_cq = req_notify_cq, .post_send = post_send, .post_recv = post_recv, .post_srq_recv = post_srq_recv},
	};
	whole->size = sizeof *whole;
#define OPERATION(distance, function) *(void **)((char *)c - (distance)) = function
	OPERATION(ABI_QUERY_PORT, query_port);
	OPERATION(ABI_OPEN_XRCD, open_xrcd);
	OPERATION(ABI_CLOSE_XRCD, close_xrcd);
	OPERATION(ABI_CREATE_SRQ_EX, create_srq_ex);
	OPERATION(ABI_GET_SRQ_NUM, get_srq_num);
	OPERATION(ABI_CREATE_QP_EX, create_qp_ex);
	return c;
}

int ibv_close_device(struct abi_context *c)
{
	close(c->async_fd);
	close(c->cmd_fd);
	memset(c, 0xa5, sizeof *c); /* who uses it still, crashes */
	free((char *)c - offsetof(struct context, context));
	return 0;
}

int ibv_query_device(struct abi_context *c, struct abi_device_attr *a)
{
	*a = (struct abi_device_attr){
		.fw_ver = "1", .node_guid = 1, .sys_image_guid = 1, .vendor_id = number("STUB_VENDOR"), .phys_port_cnt = 1,
		.device_cap_flags = 1 << 20 /* XRC */, .page_size_cap = 4096, .max_mr_size = UINT64_MAX,
		.max_qp = OBJECTS, .max_qp_wr = DEPTH, .max_sge = ELEMENTS, .max_sge_rd = ELEMENTS, .max_cq = OBJECTS, .max_cqe = COMPLETIONS,
		.max_mr = OBJECTS, .max_pd = OBJECTS, .max_ah = OBJECTS, .max_srq = OBJECTS, .max_srq_wr = DEPTH, .max_srq_sge = ELEMENTS,
		.max_qp_rd_atom = 16, .max_qp_init_rd_atom = 16, .max_res_rd_atom = 16 * OBJECTS, .max_pkeys = 1,
	};
	return result();
}

int ibv_query_port(struct abi_context *c, uint8_t port, struct abi_port_attr *a) { return query_port(c, port, a, sizeof *a); }

NOTHING(query_pkey, struct abi_context *o, uint8_t port, int index, uint16_t *pkey)
NOTHING(get_pkey_index, struct abi_context *o, uint8_t port, uint16_t pkey)

int _ibv_query_gid_ex(struct abi_context *c, uint32_t port, uint32_t index, struct abi_gid_entry *e, uint32_t flags, size_t size)
{
	*e = (struct abi_gid_entry){.gid.raw = {0xfe, 0x80, [15] = 1}, .gid_index = index, .port_num = port, .gid_type = 2 /* RoCE v2 */};
	return port == 1 && index == 0 ? result() : EINVAL;
}

ssize_t _ibv_query_gid_table(struct abi_context *c, struct abi_gid_entry *e, size_t max, uint32_t flags, size_t size)
{
	int ret = _ibv_query_gid_ex(c, 1, 0, e, flags, size);

	return ret < 0 ? ret : 1;
}
