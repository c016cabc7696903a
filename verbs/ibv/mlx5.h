/* The functions of libmlx5, the driver of one family of devices, opened at run time. */
#ifndef IBPERF_MLX5_H
#define IBPERF_MLX5_H

#include "abi.h"

/*
 * load opens libmlx5 and tells whether it is there with both functions. The driver that
 * libibverbs itself loads is a link to the same file, and so the same library.
 */
int mlx5_load(void);

/* Whether libmlx5 drives the device: mlx5dv_is_supported. */
int mlx5_drives(struct abi_device *device);

/* As ib_create_qp_ex, by mlx5dv_create_qp with these ABI_MLX5DV_QP_CREATE_ flags. */
struct abi_qp *mlx5_create_qp(struct abi_context *c, struct abi_qp_init_attr_ex *init, uint32_t flags);

#endif
