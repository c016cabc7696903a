#define _GNU_SOURCE
#include "newer.h"
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* NEWER defines ib_NAME, which looks the symbol up where a linked program would find it. */
#define NEWER(result, failed, name, symbol, parameters, arguments) \
	IF_FOUND(result, failed, name, dlsym(RTLD_DEFAULT, symbol), parameters, arguments)

NEWER(int, EOPNOTSUPP, query_port_speed, "ibv_query_port_speed", (struct abi_context *c, uint32_t port, uint64_t *speed), (c, port, speed))

NEWER(struct abi_dmah *, NULL, alloc_dmah, "ibv_alloc_dmah", (struct abi_context *c, struct abi_dmah_init_attr *init), (c, init))
NEWER(int, EOPNOTSUPP, dealloc_dmah, "ibv_dealloc_dmah", (struct abi_dmah *dmah), (dmah))
NEWER(struct abi_mr *, NULL, reg_mr_ex, "ibv_reg_mr_ex", (struct abi_pd *pd, struct abi_mr_init_attr *init), (pd, init))

NEWER(struct abi_comp_cntr *, NULL, create_comp_cntr, "ibv_create_comp_cntr",
      (struct abi_context *c, struct abi_comp_cntr_init_attr *init), (c, init))
NEWER(int, EOPNOTSUPP, destroy_comp_cntr, "ibv_destroy_comp_cntr", (struct abi_comp_cntr *counter), (counter))
NEWER(int, EOPNOTSUPP, qp_attach_comp_cntr, "ibv_qp_attach_comp_cntr",
      (struct abi_qp *qp, struct abi_comp_cntr *counter, struct abi_qp_attach_comp_cntr_attr *attr), (qp, counter, attr))

/* Exported under a name of its own behind an inline function. */
int ib_query_comp_cntr_caps(struct abi_context *c, struct abi_comp_cntr_caps *caps)
{
	int (*query)(struct abi_context *, struct abi_comp_cntr_caps *, size_t);

	memset(caps, 0, sizeof *caps);
	*(void **)&query = dlsym(RTLD_DEFAULT, "_ibv_query_comp_cntr_caps");
	return query ? query(c, caps, sizeof *caps) : EOPNOTSUPP;
}

comp_cntr_reader ib_reader_of_comp_cntr(void)
{
	comp_cntr_reader read;

	*(void **)&read = dlsym(RTLD_DEFAULT, "ibv_read_comp_cntr");
	return read;
}
