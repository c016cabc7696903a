/* The functions of libefa, the driver of one family of devices, opened at run time. */
#ifndef IBPERF_EFA_H
#define IBPERF_EFA_H

#include "abi.h"

/* Opens libefa and tells whether it is there with its functions, as mlx5_load does. */
int efa_load(void);

/* The ABI_EFADV_DEVICE_ATTR_CAPS_ of a device, and its longest WRITE or READ; 0 or an errno, EOPNOTSUPP of one that libefa does not drive. */
int efa_caps(struct abi_context *c, uint32_t *caps, uint32_t *max_rdma_size);

/* Makes an SRD QP: efadv_create_qp_ex. init names its PD. */
struct abi_qp *efa_create_srd(struct abi_context *c, struct abi_qp_init_attr_ex *init);

#endif
