/* Functions that only newer releases of libibverbs export: EOPNOTSUPP without them. */
#ifndef IBPERF_NEWER_H
#define IBPERF_NEWER_H

#include "abi.h"
#include "post_poll.h"

int ib_query_port_speed(struct abi_context *c, uint32_t port, uint64_t *speed);

struct abi_dmah *ib_alloc_dmah(struct abi_context *c, struct abi_dmah_init_attr *init);
int ib_dealloc_dmah(struct abi_dmah *dmah);
struct abi_mr *ib_reg_mr_ex(struct abi_pd *pd, struct abi_mr_init_attr *init);

int ib_query_comp_cntr_caps(struct abi_context *c, struct abi_comp_cntr_caps *caps);
struct abi_comp_cntr *ib_create_comp_cntr(struct abi_context *c, struct abi_comp_cntr_init_attr *init);
int ib_destroy_comp_cntr(struct abi_comp_cntr *counter);
/* ib_reader_of_comp_cntr returns ibv_read_comp_cntr, for polls that look no symbol up. */
comp_cntr_reader ib_reader_of_comp_cntr(void);
int ib_qp_attach_comp_cntr(struct abi_qp *qp, struct abi_comp_cntr *counter, struct abi_qp_attach_comp_cntr_attr *attr);

#endif
