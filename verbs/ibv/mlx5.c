#define _GNU_SOURCE
#include "mlx5.h"

#include <dlfcn.h>
#include <stdbool.h>

static bool (*p_is_supported)(struct abi_device *);
static struct abi_qp *(*p_create_qp)(struct abi_context *, struct abi_qp_init_attr_ex *, struct abi_mlx5dv_qp_init_attr *);

int mlx5_load(void)
{
	if (!dlopen("libmlx5.so.1", RTLD_NOW | RTLD_GLOBAL))
		return 0;
	*(void **)&p_is_supported = dlsym(RTLD_DEFAULT, "mlx5dv_is_supported");
	*(void **)&p_create_qp = dlsym(RTLD_DEFAULT, "mlx5dv_create_qp");
	return p_is_supported && p_create_qp;
}

int mlx5_drives(struct abi_device *device)
{
	return p_is_supported(device);
}

struct abi_qp *mlx5_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	struct abi_mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = ABI_MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = flags,
	};

	return p_create_qp(c, init, &mlx5);
}
