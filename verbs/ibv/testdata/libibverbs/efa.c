/* The part of libefa.so.1 that package ibv uses. */
#include "stub.h"

static uint32_t device_caps(void) { return number("STUB_EFA", 0) - 1; }

/* efa_rights returns the access flags that memory may be registered with. */
unsigned efa_rights(void)
{
	unsigned all = LOCAL_WRITE | RELAXED;

	if (device_caps() & ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_READ)
		all |= REMOTE_READ;
	if (device_caps() & ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE)
		all |= REMOTE_WRITE;
	return all;
}

unsigned max_sge(void) { return number("STUB_EFA", 0) ? EFA_ELEMENTS : ELEMENTS; }

int efadv_query_device(struct abi_context *c, struct abi_efadv_device_attr *a, uint32_t size)
{
	*a = (struct abi_efadv_device_attr){.device_caps = device_caps(), .max_rdma_size = MESSAGE};
	return number("STUB_EFA", 0) ? result("efadv_query_device") : EOPNOTSUPP;
}

struct abi_qp *efadv_create_qp_ex(struct abi_context *c, struct abi_qp_init_attr_ex *init, struct abi_efadv_qp_init_attr *efa, uint32_t size)
{
	uint64_t has = 1 << SEND | 1 << SEND_IMM; /* SendOps bits are numbered by opcode */

	if (device_caps() & ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_READ)
		has |= 1 << READ;
	if (device_caps() & ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE)
		has |= 1 << WRITE | 1 << WRITE_IMM;
	errno = EOPNOTSUPP;
	if (!number("STUB_EFA", 0) || init->send_ops_flags & ~has)
		return NULL;
	errno = EINVAL;
	if (init->qp_type != SRD || init->srq || !init->pd || efa->driver_qp_type != ABI_EFADV_QP_DRIVER_TYPE_SRD ||
	    init->comp_mask != (ABI_QP_INIT_ATTR_PD | ABI_QP_INIT_ATTR_SEND_OPS_FLAGS) || efa->comp_mask || size < 12)
		return NULL;
	return create_qp_ex(c, init);
}
