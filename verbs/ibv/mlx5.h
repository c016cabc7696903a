/* The functions of libmlx5, the driver of one family of devices, opened at run time. */
#ifndef IBPERF_MLX5_H
#define IBPERF_MLX5_H

#include "abi.h"

/*
 * load opens libmlx5 and reports whether it has all functions. The driver that libibverbs
 * itself loads is a link to the same file, and so the same library.
 */
int mlx5_load(void);

/* Reports whether libmlx5 drives the device: mlx5dv_is_supported. */
int mlx5_drives(struct abi_device *device);

/*
 * The largest number of receives of an RC QP with ABI_MLX5DV_QP_CREATE_OOO_DP: mlx5dv_query_device. 0: the
 * device or the library has no such QPs.
 */
uint32_t mlx5_ooo_receives(struct abi_context *c);

/* ib_create_qp_ex with ABI_MLX5DV_QP_CREATE_ flags: mlx5dv_create_qp. */
struct abi_qp *mlx5_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags);

#endif
