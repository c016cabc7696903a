#define _GNU_SOURCE
#include "mlx5.h"

#include <dlfcn.h>
#include <stdbool.h>

static int (*p_query_device)(struct abi_context *, struct abi_mlx5dv_context *);
static bool (*p_is_supported)(struct abi_device *);
static struct abi_qp *(*p_create_qp)(struct abi_context *, struct abi_qp_init_attr_ex *, struct abi_mlx5dv_qp_init_attr *);

int mlx5_load(void)
{
	if (!dlopen("libmlx5.so.1", RTLD_NOW | RTLD_GLOBAL))
		return 0;
	*(void **)&p_is_supported = dlsym(RTLD_DEFAULT, "mlx5dv_is_supported");
	*(void **)&p_create_qp = dlsym(RTLD_DEFAULT, "mlx5dv_create_qp");
	*(void **)&p_query_device = dlsym(RTLD_DEFAULT, "mlx5dv_query_device");
	return p_is_supported && p_create_qp && p_query_device;
}

int mlx5_drives(struct abi_device *device)
{
	return p_is_supported(device);
}

uint32_t mlx5_ooo_receives(struct abi_context *c)
{
	struct abi_mlx5dv_context mlx5 = {.comp_mask = ABI_MLX5DV_CONTEXT_MASK_OOO_RECV_WRS};

	if (p_query_device(c, &mlx5) || !(mlx5.comp_mask & ABI_MLX5DV_CONTEXT_MASK_OOO_RECV_WRS))
		return 0;
	return mlx5.ooo_recv_wrs_caps.max_rc;
}

struct abi_qp *mlx5_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	struct abi_mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = ABI_MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = flags,
	};

	return p_create_qp(c, init, &mlx5);
}
