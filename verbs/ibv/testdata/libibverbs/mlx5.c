/* What is used of libmlx5.so.1. */
#include "stub.h"

#include <stdbool.h>

bool mlx5dv_is_supported(struct abi_device *d) { return number("STUB_MLX5", 0); }

struct abi_qp *mlx5dv_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, struct abi_mlx5dv_qp_init_attr *mlx5)
{
	if (init->comp_mask != ABI_QP_INIT_ATTR_PD || !init->pd || !init->send_cq || !init->recv_cq ||
	    mlx5->comp_mask != ABI_MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)
		return NULL;
	return make_qp(c, init, mlx5->create_flags);
}
