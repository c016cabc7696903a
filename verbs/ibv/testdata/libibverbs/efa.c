/* What is used of libefa.so.1. */
#include "stub.h"

enum { DRIVER = 0xff };

int efadv_query_device(struct abi_context *c, struct abi_efadv_device_attr *a, uint32_t size)
{
	*a = (struct abi_efadv_device_attr){.device_caps = number("STUB_EFA") - 1, .max_rdma_size = MESSAGE};
	return number("STUB_EFA") ? result() : EOPNOTSUPP;
}

struct abi_qp *efadv_create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init, struct abi_efadv_qp_init_attr *efa, uint32_t size)
{
	uint32_t caps = number("STUB_EFA") - 1;
	uint64_t has = 1 << 2 | 1 << 3; /* SEND */

	if (caps & ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_READ)
		has |= 1 << 4;
	if (caps & ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE)
		has |= 1 << 0 | 1 << 1;
	errno = EOPNOTSUPP;
	if (!number("STUB_EFA") || init->send_ops_flags & ~has)
		return NULL;
	errno = EINVAL;
	if (init->qp_type != DRIVER || init->srq || !init->pd || efa->driver_qp_type != ABI_EFADV_QP_DRIVER_TYPE_SRD ||
	    init->comp_mask != (ABI_QP_INIT_ATTR_PD | ABI_QP_INIT_ATTR_SEND_OPS_FLAGS) || efa->comp_mask || size < 12)
		return NULL;
	return create_qp_ex(c, init);
}
