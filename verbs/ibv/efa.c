#define _GNU_SOURCE
#include "efa.h"

#include <dlfcn.h>

static int (*p_query_device)(struct abi_context *, struct abi_efadv_device_attr *, uint32_t);
static struct abi_qp *(*p_create_qp_ex)(struct abi_context *, struct abi_qp_init_attr_ex *, struct abi_efadv_qp_init_attr *, uint32_t);

int efa_load(void)
{
	if (!dlopen("libefa.so.1", RTLD_NOW | RTLD_GLOBAL))
		return 0;
	*(void **)&p_query_device = dlsym(RTLD_DEFAULT, "efadv_query_device");
	*(void **)&p_create_qp_ex = dlsym(RTLD_DEFAULT, "efadv_create_qp_ex");
	return p_query_device && p_create_qp_ex;
}

int efa_caps(struct abi_context *c, uint32_t *caps, uint32_t *max_rdma_size)
{
	struct abi_efadv_device_attr a = {0};
	int err = p_query_device(c, &a, sizeof a);

	*caps = a.device_caps;
	*max_rdma_size = a.max_rdma_size;
	return err;
}

struct abi_qp *efa_create_srd(struct abi_context *c, struct abi_qp_init_attr_ex *init)
{
	struct abi_efadv_qp_init_attr srd = {.driver_qp_type = ABI_EFADV_QP_DRIVER_TYPE_SRD};

	return p_create_qp_ex(c, init, &srd, sizeof srd);
}
