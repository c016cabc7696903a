/* The functions of libefa, the driver of one family of devices, opened at run time. */
#ifndef IBPERF_EFA_H
#define IBPERF_EFA_H

#include "abi.h"

/* Opens libefa and reports whether it has the functions below. */
int efa_load(void);

/* Returns the ABI_EFADV_DEVICE_ATTR_CAPS_ of a device and its longest WRITE or READ. The result is 0 or an errno, EOPNOTSUPP for a device that libefa does not drive. */
int efa_caps(struct abi_context *c, uint32_t *caps, uint32_t *max_rdma_size);

/* Creates an SRD QP in the PD of init: efadv_create_qp_ex. */
struct abi_qp *efa_create_srd(struct abi_context *c, struct abi_qp_init_attr_ex *init);

#endif
