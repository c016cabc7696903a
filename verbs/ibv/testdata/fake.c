/*
 * A libibverbs with one device, fake0, for tests of what this package makes of a
 * library's answers. What it answers is said by the environment:
 *
 *	FAKE_VENDOR       vendor_id of the device
 *	FAKE_SPEED        active_speed of port 1
 *	FAKE_SPEED_EX     its active_speed_ex; without it the library is older than that member
 *
 * Of the other functions absent.c says that they are there. With -DMLX5 it is a libmlx5,
 * whose device fake0 is if FAKE_MLX5 is set. The number of a QP tells who made it: 1
 * ibv_create_qp, 0x500 and its create_flags mlx5dv_create_qp.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../library.h"

static uint32_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : 0;
}

static struct abi_qp qp;

static struct abi_qp *made(struct abi_context *c, struct abi_pd *pd, struct abi_qp_cap *cap, uint32_t num)
{
	qp = (struct abi_qp){.context = c, .pd = pd, .qp_num = num};
	cap->max_send_wr = 64; /* devices grant more than they are asked for */
	return &qp;
}

#ifdef MLX5

bool mlx5dv_is_supported(struct abi_device *d) { return !strcmp(d->name, "fake0") && getenv("FAKE_MLX5"); }

struct abi_qp *mlx5dv_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, struct abi_mlx5dv_qp_init_attr *mlx5)
{
	if (init->comp_mask != ABI_QP_INIT_ATTR_PD || !init->pd || !init->send_cq || !init->recv_cq ||
	    mlx5->comp_mask != ABI_MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)
		return NULL;
	return made(c, init->pd, &init->cap, 0x500 + mlx5->create_flags);
}

#else

/* A context with the operations in front of it, counted backwards from its begin. */
static struct {
	char operations[ABI_QUERY_PORT - sizeof(size_t)];
	size_t size;
	struct abi_context context;
} fake;

static struct abi_device device = {.node_type = 1, .name = "fake0", .dev_name = "uverbs0"};
static struct abi_cq cq = {.context = &fake.context};
static struct abi_device *devices[] = {&device, NULL};

static int query_port(struct abi_context *c, uint8_t port, struct abi_port_attr *a, size_t size)
{
	struct abi_port_attr all = {.state = 4, .active_speed = number("FAKE_SPEED"), .active_speed_ex = number("FAKE_SPEED_EX")};
	size_t known = getenv("FAKE_SPEED_EX") ? sizeof all : offsetof(struct abi_port_attr, active_speed_ex);

	(void)c, (void)port;
	memcpy(a, &all, size < known ? size : known);
	return 0;
}

struct abi_device **ibv_get_device_list(int *n)
{
	*n = 1;
	return devices;
}

void ibv_free_device_list(struct abi_device **list) { (void)list; }

struct abi_context *ibv_open_device(struct abi_device *d)
{
	int (*query)(struct abi_context *, uint8_t, struct abi_port_attr *, size_t) = query_port;
	int pipes[2];

	if (pipe(pipes))
		return NULL;
	fake.context = (struct abi_context){.device = d, .async_fd = pipes[0], .cmd_fd = pipes[1], .abi_compat = (void *)UINTPTR_MAX};
	fake.size = sizeof fake;
	memcpy((char *)&fake.context - ABI_QUERY_PORT, &query, sizeof query);
	return &fake.context;
}

int ibv_close_device(struct abi_context *c) { return close(c->async_fd) | close(c->cmd_fd); }

int ibv_query_device(struct abi_context *c, struct abi_device_attr *a)
{
	(void)c;
	*a = (struct abi_device_attr){.vendor_id = number("FAKE_VENDOR")};
	return 0;
}

struct abi_pd *ibv_alloc_pd(struct abi_context *c) { return (struct abi_pd *)c; }
int ibv_dealloc_pd(struct abi_pd *pd) { return !pd; }
struct abi_cq *ibv_create_cq(void) { return &cq; } /* whatever it is asked for */
int ibv_destroy_cq(struct abi_cq *q) { return q != &cq; }
struct abi_qp *ibv_create_qp(struct abi_pd *pd, struct abi_qp_init_attr *init) { return made(&fake.context, pd, &init->cap, 1); }
int ibv_destroy_qp(struct abi_qp *q) { return !q; }

#endif
