/* The part of libmlx5.so.1 that package ibv uses. */
#include "stub.h"

#include <stdbool.h>

bool mlx5dv_is_supported(struct abi_device *d) { return number("STUB_MLX5", 0); }

int mlx5dv_query_device(struct abi_context *c, struct abi_mlx5dv_context *a)
{
	uint32_t max = number("STUB_OOO", 0);

	a->comp_mask &= max ? ABI_MLX5DV_CONTEXT_MASK_OOO_RECV_WRS : 0;
	a->ooo_recv_wrs_caps.max_rc = max;
	return number("STUB_MLX5", 0) ? result("mlx5dv_query_device") : EOPNOTSUPP;
}

/* check returns an errno for flags that the device does not have, as create_qp of providers/mlx5, or 0. */
static int check(const struct abi_qp_init_attr_ex *init, uint32_t flags)
{
	uint32_t max = number("STUB_OOO", 0);

	if (!(flags & ABI_MLX5DV_QP_CREATE_OOO_DP))
		return 0;
	if (!max || init->qp_type != RC)
		return EOPNOTSUPP;
	return !init->srq && init->cap.max_recv_wr > max ? EINVAL : 0;
}

struct abi_qp *mlx5dv_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, struct abi_mlx5dv_qp_init_attr *mlx5)
{
	if (init->comp_mask & ~(ABI_QP_INIT_ATTR_PD | ABI_QP_INIT_ATTR_SEND_OPS_FLAGS) || !init->pd || !init->send_cq || !init->recv_cq ||
	    mlx5->comp_mask != ABI_MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS) {
		errno = EINVAL;
		return NULL;
	}
	errno = check(init, mlx5->create_flags);
	return errno ? NULL : make_qp_by_operations(c, init, mlx5->create_flags);
}
