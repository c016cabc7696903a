/* rxe_odp DEVICE: shows where WRITE and READ find the bytes of an ON_DEMAND memory region, on an RC QP that is
 * connected to itself. Status 0: at the right place, or the device has no ODP; 1: at another; 2: a call failed.
 *
 *	cc -o rxe_odp rxe_odp.c -libverbs && ./rxe_odp rxe0 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHECK(call) ((call) ? (void)0 : (perror(#call), exit(2)))
enum { SIZE = 16 << 10, LENGTH = 100, ALL = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };

static void execute(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_mr *local, struct ibv_mr *remote, long at)
{
	struct ibv_sge sge = {(uintptr_t)local->addr, LENGTH, local->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = {(uintptr_t)remote->addr + at, remote->rkey}};
	struct ibv_wc wc = {.status = IBV_WC_GENERAL_ERR};

	CHECK(!ibv_post_send(qp, &wr, &bad));
	while (!ibv_poll_cq(qp->send_cq, 1, &wc))
		;
	CHECK(wc.status == IBV_WC_SUCCESS);
}

static int report(const char *what, long at, const char *memory, const char *bytes)
{
	const char *found = memmem(memory, SIZE, bytes, LENGTH);

	printf("%s of %d bytes at offset %5ld: ", what, LENGTH, at);
	return found ? printf("found at %ld\n", found - memory), found - memory != at : (puts("not found in one piece"), 1);
}

int main(int argc, char **argv)
{
	long at[] = {0, 4096, 100, 5000, 9000, 4046}; /* in the last one, bytes are in two pages */
	struct ibv_context *c = NULL;
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_device_attr_ex attr;
	char *local = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *remote = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int wrong = 0;

	for (; list && *list && !c; list++)
		c = argc == 2 && !strcmp((*list)->name, argv[1]) ? ibv_open_device(*list) : NULL;
	CHECK(c && !ibv_query_device_ex(c, NULL, &attr));
	if (!(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		return puts("the device has no on-demand paging"), 0;
	struct ibv_pd *pd = ibv_alloc_pd(c);
	struct ibv_mr *plain = ibv_reg_mr(pd, local, 4096, ALL), *paged = ibv_reg_mr(pd, remote, SIZE, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_cq *cq = ibv_create_cq(c, 4, NULL, NULL, 0);
	struct ibv_qp *qp = ibv_create_qp(pd, &(struct ibv_qp_init_attr){.send_cq = cq, .recv_cq = cq, .cap = {1, 1, 1, 1, 0}, .qp_type = IBV_QPT_RC});
	CHECK(plain && paged && cq && qp);
	struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = ALL, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .timeout = 14, .retry_cnt = 7, .ah_attr = {.is_global = 1, .port_num = 1, .grh.hop_limit = 1}};
	CHECK(!ibv_query_gid(c, 1, 0, &to.ah_attr.grh.dgid));
	CHECK(!ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	to.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	to.qp_state = IBV_QPS_RTS;
	CHECK(!ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));

	for (int i = 0; i < 2 * (int)(sizeof at / sizeof *at); i++) {
		memset(remote, 0, SIZE);
		for (int n = 0; n < SIZE; n++)
			(i % 2 ? remote : local)[i % 2 ? n : n % LENGTH] = (n + 1) * 2654435761u >> 24;
		execute(qp, i % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, plain, paged, at[i / 2]);
		wrong |= report(i % 2 ? "READ " : "WRITE", at[i / 2], remote, local);
	}
	return wrong;
}
