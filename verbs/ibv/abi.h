/*
 * The part of the binary interface of libibverbs.so.1 that this package uses.
 *
 * The libraries are opened at run time, so a build does not need their headers.
 * Functions and structures are declared here under other names (struct abi_x is
 * struct ibv_x). The interface of libibverbs.so.1 is fixed, except for members that
 * releases add at the end of some structures; testdata/abi.c compares every field with
 * the headers of several releases.
 */
#ifndef IBPERF_ABI_H
#define IBPERF_ABI_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct abi_context;
struct abi_qp;
struct abi_cq;
struct abi_srq;
struct abi_pd;
struct abi_ah;
struct abi_data_buf;
struct abi_cq_ex;
struct abi_poll_cq_attr;
struct abi_mw;
struct abi_mw_bind;
struct abi_mw_bind_info;

union abi_gid {
	uint8_t raw[16];
	uint64_t halves[2];
};

/* Requests and completions: verbs.SGE, SendWR, RecvWR and WC have the same layout. */

struct abi_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* wr, qp_type and ext are unions; ext is bind_mw: window, rkey, struct abi_mw_bind_info. */
struct abi_send_wr {
	uint64_t wr_id;
	struct abi_send_wr *next;
	struct abi_sge *sg_list;
	int num_sge;
	uint32_t opcode;
	uint32_t send_flags;
	uint32_t imm_data;
	uint64_t wr[4];
	uint32_t qp_type[2];
	uint64_t ext[6];
};

struct abi_recv_wr {
	uint64_t wr_id;
	struct abi_recv_wr *next;
	struct abi_sge *sg_list;
	int num_sge;
};

struct abi_wc {
	uint64_t wr_id;
	uint32_t status;
	uint32_t opcode;
	uint32_t vendor_err;
	uint32_t byte_len;
	uint32_t imm_data;
	uint32_t qp_num;
	uint32_t src_qp;
	uint32_t wc_flags;
	uint16_t pkey_index;
	uint16_t slid;
	uint8_t sl;
	uint8_t dlid_path_bits;
};

/* Objects. The library allocates them; this package reads only the fields named here. */

struct abi_device {
	void *ops[2];
	uint32_t node_type;
	uint32_t transport_type;
	char name[64];
	char dev_name[64];
	char dev_path[256];
	char ibdev_path[256];
};

struct abi_context_ops {
	void *before_alloc_mw[7];
	struct abi_mw *(*alloc_mw)(struct abi_pd *pd, uint32_t type);
	int (*bind_mw)(struct abi_qp *qp, struct abi_mw *mw, struct abi_mw_bind *bind);
	int (*dealloc_mw)(struct abi_mw *mw);
	void *create_cq;
	int (*poll_cq)(struct abi_cq *cq, int num_entries, struct abi_wc *wc);
	int (*req_notify_cq)(struct abi_cq *cq, int solicited_only);
	void *before_post_srq_recv[7];
	int (*post_srq_recv)(struct abi_srq *srq, struct abi_recv_wr *wr, struct abi_recv_wr **bad_wr);
	void *before_post_send[4];
	int (*post_send)(struct abi_qp *qp, struct abi_send_wr *wr, struct abi_send_wr **bad_wr);
	int (*post_recv)(struct abi_qp *qp, struct abi_recv_wr *wr, struct abi_recv_wr **bad_wr);
	void *after_post_recv[5];
};

struct abi_context {
	struct abi_device *device;
	struct abi_context_ops ops;
	int cmd_fd;
	int async_fd;
	int num_comp_vectors;
	pthread_mutex_t mutex;
	void *abi_compat;
};

struct abi_comp_channel {
	struct abi_context *context;
	int fd;
	int refcnt;
};

struct abi_cq {
	struct abi_context *context;
	struct abi_comp_channel *channel;
	void *cq_context;
	uint32_t handle;
	int cqe;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t comp_events_completed;
	uint32_t async_events_completed;
};

/* An extended CQ: its functions return members of the current completion. */
struct abi_cq_ex {
	struct abi_cq cq;
	uint32_t comp_mask;
	uint32_t status;
	uint64_t wr_id;
	int (*start_poll)(struct abi_cq_ex *cq, struct abi_poll_cq_attr *attr);
	int (*next_poll)(struct abi_cq_ex *cq);
	void (*end_poll)(struct abi_cq_ex *cq);
	uint32_t (*read_opcode)(struct abi_cq_ex *cq);
	uint32_t (*read_vendor_err)(struct abi_cq_ex *cq);
	uint32_t (*read_byte_len)(struct abi_cq_ex *cq);
	uint32_t (*read_imm_data)(struct abi_cq_ex *cq);
	uint32_t (*read_qp_num)(struct abi_cq_ex *cq);
	uint32_t (*read_src_qp)(struct abi_cq_ex *cq);
	unsigned int (*read_wc_flags)(struct abi_cq_ex *cq);
	uint32_t (*read_slid)(struct abi_cq_ex *cq);
	uint8_t (*read_sl)(struct abi_cq_ex *cq);
	uint8_t (*read_dlid_path_bits)(struct abi_cq_ex *cq);
	uint64_t (*read_completion_ts)(struct abi_cq_ex *cq);
	void *before_wallclock[3];
	uint64_t (*read_completion_wallclock_ns)(struct abi_cq_ex *cq);
};

struct abi_poll_cq_attr {
	uint32_t comp_mask;
};

struct abi_td {
	struct abi_context *context;
};

struct abi_mr {
	struct abi_context *context;
	struct abi_pd *pd;
	void *addr;
	size_t length;
	uint32_t handle;
	uint32_t lkey;
	uint32_t rkey;
};

struct abi_mw {
	struct abi_context *context;
	struct abi_pd *pd;
	uint32_t rkey;
	uint32_t handle;
	uint32_t type;
};

struct abi_qp {
	struct abi_context *context;
	void *qp_context;
	struct abi_pd *pd;
	struct abi_cq *send_cq;
	struct abi_cq *recv_cq;
	struct abi_srq *srq;
	uint32_t handle;
	uint32_t qp_num;
	uint32_t state;
	uint32_t qp_type;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t events_completed;
};

/* A QP with ibv_wr_post(3): each function has the QP as its first argument. */
struct abi_qp_ex {
	struct abi_qp qp;
	uint64_t comp_mask;
	uint64_t wr_id;
	unsigned int wr_flags;
	void (*wr_atomic_cmp_swp)(struct abi_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap);
	void (*wr_atomic_fetch_add)(struct abi_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t add);
	void (*wr_bind_mw)(struct abi_qp_ex *qp, struct abi_mw *mw, uint32_t rkey, const struct abi_mw_bind_info *info);
	void (*wr_local_inv)(struct abi_qp_ex *qp, uint32_t rkey);
	void (*wr_rdma_read)(struct abi_qp_ex *qp, uint32_t rkey, uint64_t addr);
	void (*wr_rdma_write)(struct abi_qp_ex *qp, uint32_t rkey, uint64_t addr);
	void (*wr_rdma_write_imm)(struct abi_qp_ex *qp, uint32_t rkey, uint64_t addr, uint32_t imm_data);
	void (*wr_send)(struct abi_qp_ex *qp);
	void (*wr_send_imm)(struct abi_qp_ex *qp, uint32_t imm_data);
	void (*wr_send_inv)(struct abi_qp_ex *qp, uint32_t rkey);
	void (*wr_send_tso)(void);
	void (*wr_set_ud_addr)(struct abi_qp_ex *qp, struct abi_ah *ah, uint32_t qpn, uint32_t qkey);
	void (*wr_set_xrc_srqn)(struct abi_qp_ex *qp, uint32_t srqn);
	void (*wr_set_inline_data)(struct abi_qp_ex *qp, void *addr, size_t length);
	void (*wr_set_inline_data_list)(struct abi_qp_ex *qp, size_t n, const struct abi_data_buf *list);
	void (*wr_set_sge)(struct abi_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length);
	void (*wr_set_sge_list)(struct abi_qp_ex *qp, size_t n, const struct abi_sge *list);
	void (*wr_start)(struct abi_qp_ex *qp);
	int (*wr_complete)(struct abi_qp_ex *qp);
	void (*wr_abort)(struct abi_qp_ex *qp);
};

struct abi_data_buf {
	void *addr;
	size_t length;
};

struct abi_srq {
	struct abi_context *context;
	void *srq_context;
	struct abi_pd *pd;
	uint32_t handle;
};

struct abi_xrcd {
	struct abi_context *context;
};

/* Attributes. */

struct abi_device_attr {
	char fw_ver[64];
	uint64_t node_guid;      /* network order */
	uint64_t sys_image_guid; /* network order */
	uint64_t max_mr_size;
	uint64_t page_size_cap;
	uint32_t vendor_id;
	uint32_t vendor_part_id;
	uint32_t hw_ver;
	int max_qp;
	int max_qp_wr;
	uint32_t device_cap_flags;
	int max_sge;
	int max_sge_rd;
	int max_cq;
	int max_cqe;
	int max_mr;
	int max_pd;
	int max_qp_rd_atom;
	int max_ee_rd_atom;
	int max_res_rd_atom;
	int max_qp_init_rd_atom;
	int max_ee_init_rd_atom;
	uint32_t atomic_cap;
	int max_ee;
	int max_rdd;
	int max_mw;
	int max_raw_ipv6_qp;
	int max_raw_ethy_qp;
	int max_mcast_grp;
	int max_mcast_qp_attach;
	int max_total_mcast_qp_attach;
	int max_ah;
	int max_fmr;
	int max_map_per_fmr;
	int max_srq;
	int max_srq_wr;
	int max_srq_sge;
	uint16_t max_pkeys;
	uint8_t local_ca_ack_delay;
	uint8_t phys_port_cnt;
};

struct abi_odp_caps {
	uint64_t general_caps;
	uint32_t rc_odp_caps;
	uint32_t uc_odp_caps;
	uint32_t ud_odp_caps;
};

struct abi_tso_caps {
	uint32_t max_tso;
	uint32_t supported_qpts;
};

struct abi_rss_caps {
	uint32_t supported_qpts;
	uint32_t max_rwq_indirection_tables;
	uint32_t max_rwq_indirection_table_size;
	uint64_t rx_hash_fields_mask;
	uint8_t rx_hash_function;
};

struct abi_packet_pacing_caps {
	uint32_t qp_rate_limit_min;
	uint32_t qp_rate_limit_max;
	uint32_t supported_qpts;
};

struct abi_tm_caps {
	uint32_t max_rndv_hdr_size;
	uint32_t max_num_tags;
	uint32_t flags;
	uint32_t max_ops;
	uint32_t max_sge;
};

struct abi_cq_moderation_caps {
	uint16_t max_cq_count;
	uint16_t max_cq_period;
};

struct abi_pci_atomic_caps {
	uint16_t fetch_add;
	uint16_t swap;
	uint16_t compare_swap;
};

struct abi_device_attr_ex {
	struct abi_device_attr orig_attr;
	uint32_t comp_mask;
	struct abi_odp_caps odp_caps;
	uint64_t completion_timestamp_mask;
	uint64_t hca_core_clock;
	uint64_t device_cap_flags_ex;
	struct abi_tso_caps tso_caps;
	struct abi_rss_caps rss_caps;
	uint32_t max_wq_type_rq;
	struct abi_packet_pacing_caps packet_pacing_caps;
	uint32_t raw_packet_caps;
	struct abi_tm_caps tm_caps;
	struct abi_cq_moderation_caps cq_mod_caps;
	uint64_t max_dm_size;
	struct abi_pci_atomic_caps pci_atomic_caps;
	uint32_t xrc_odp_caps;
	uint32_t phys_port_cnt_ex;
};

struct abi_port_attr {
	uint32_t state;
	uint32_t max_mtu;
	uint32_t active_mtu;
	int gid_tbl_len;
	uint32_t port_cap_flags;
	uint32_t max_msg_sz;
	uint32_t bad_pkey_cntr;
	uint32_t qkey_viol_cntr;
	uint16_t pkey_tbl_len;
	uint16_t lid;
	uint16_t sm_lid;
	uint8_t lmc;
	uint8_t max_vl_num;
	uint8_t sm_sl;
	uint8_t subnet_timeout;
	uint8_t init_type_reply;
	uint8_t active_width;
	uint8_t active_speed;
	uint8_t phys_state;
	uint8_t link_layer;
	uint8_t flags;
	uint16_t port_cap_flags2;
	uint32_t active_speed_ex; /* since rdma-core 49; older ones leave it 0 */
};

struct abi_gid_entry {
	union abi_gid gid;
	uint32_t gid_index;
	uint32_t port_num;
	uint32_t gid_type;
	uint32_t ndev_ifindex;
};

struct abi_mw_bind_info {
	struct abi_mr *mr;
	uint64_t addr;
	uint64_t length;
	unsigned int access;
};

struct abi_mw_bind {
	uint64_t wr_id;
	unsigned int send_flags;
	struct abi_mw_bind_info info;
};

struct abi_qp_cap {
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_inline_data;
};

struct abi_qp_init_attr {
	void *qp_context;
	struct abi_cq *send_cq;
	struct abi_cq *recv_cq;
	struct abi_srq *srq;
	struct abi_qp_cap cap;
	uint32_t qp_type;
	int sq_sig_all;
};

struct abi_qp_init_attr_ex {
	void *qp_context;
	struct abi_cq *send_cq;
	struct abi_cq *recv_cq;
	struct abi_srq *srq;
	struct abi_qp_cap cap;
	uint32_t qp_type;
	int sq_sig_all;
	uint32_t comp_mask; /* ABI_QP_INIT_ATTR_ */
	struct abi_pd *pd;
	struct abi_xrcd *xrcd;
	uint64_t unused[6];
	uint64_t send_ops_flags;
};

#define ABI_QP_INIT_ATTR_PD 1
#define ABI_QP_INIT_ATTR_XRCD 2
#define ABI_QP_INIT_ATTR_SEND_OPS_FLAGS 64

struct abi_qp_open_attr {
	uint32_t comp_mask; /* ABI_QP_OPEN_ATTR_ */
	uint32_t qp_num;
	struct abi_xrcd *xrcd;
	void *qp_context;
	uint32_t qp_type;
};

#define ABI_QP_OPEN_ATTR_NUM 1
#define ABI_QP_OPEN_ATTR_XRCD 2
#define ABI_QP_OPEN_ATTR_TYPE 8

struct abi_cq_init_attr_ex {
	uint32_t cqe;
	void *cq_context;
	struct abi_comp_channel *channel;
	uint32_t comp_vector;
	uint64_t wc_flags; /* ABI_WC_EX_WITH_ */
	uint32_t comp_mask;
	uint32_t flags;
	struct abi_pd *parent_domain;
};

#define ABI_WC_STANDARD_FLAGS 0x7f
#define ABI_WC_EX_WITH_COMPLETION_TIMESTAMP 0x80
#define ABI_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK 0x800
#define ABI_CQ_INIT_ATTR_MASK_FLAGS 1
#define ABI_CREATE_CQ_ATTR_SINGLE_THREADED 1

struct abi_modify_cq_attr {
	uint32_t attr_mask;
	uint16_t count;
	uint16_t period_us;
};

#define ABI_CQ_ATTR_MODERATE 1

struct abi_td_init_attr {
	uint32_t comp_mask;
};

struct abi_parent_domain_init_attr {
	struct abi_pd *pd;
	struct abi_td *td;
	uint32_t comp_mask;
	void *unused[3];
};

#define ABI_ADVISE_MR_FLAG_FLUSH 1

struct abi_xrcd_init_attr {
	uint32_t comp_mask; /* ABI_XRCD_INIT_ATTR_ */
	int fd;
	int oflags;
};

#define ABI_XRCD_INIT_ATTR_FD 1
#define ABI_XRCD_INIT_ATTR_OFLAGS 2

struct abi_srq_attr {
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t srq_limit;
};

struct abi_srq_init_attr {
	void *srq_context;
	struct abi_srq_attr attr;
};

struct abi_srq_init_attr_ex {
	void *srq_context;
	struct abi_srq_attr attr;
	uint32_t comp_mask; /* ABI_SRQ_INIT_ATTR_ */
	uint32_t srq_type;
	struct abi_pd *pd;
	struct abi_xrcd *xrcd;
	struct abi_cq *cq;
	uint32_t tm_cap[2];
};

#define ABI_SRQ_INIT_ATTR_TYPE 1
#define ABI_SRQ_INIT_ATTR_PD 2
#define ABI_SRQ_INIT_ATTR_XRCD 4
#define ABI_SRQ_INIT_ATTR_CQ 8
#define ABI_SRQT_XRC 1

struct abi_grh {
	uint8_t bytes[40];
};

struct abi_global_route {
	union abi_gid dgid;
	uint32_t flow_label;
	uint8_t sgid_index;
	uint8_t hop_limit;
	uint8_t traffic_class;
};

struct abi_ah_attr {
	struct abi_global_route grh;
	uint16_t dlid;
	uint8_t sl;
	uint8_t src_path_bits;
	uint8_t static_rate;
	uint8_t is_global;
	uint8_t port_num;
};

struct abi_qp_attr {
	uint32_t qp_state;
	uint32_t cur_qp_state;
	uint32_t path_mtu;
	uint32_t path_mig_state;
	uint32_t qkey;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t dest_qp_num;
	uint32_t qp_access_flags;
	struct abi_qp_cap cap;
	struct abi_ah_attr ah_attr;
	struct abi_ah_attr alt_ah_attr;
	uint16_t pkey_index;
	uint16_t alt_pkey_index;
	uint8_t en_sqd_async_notify;
	uint8_t sq_draining;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t port_num;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t alt_port_num;
	uint8_t alt_timeout;
	uint32_t rate_limit;
};

struct abi_async_event {
	void *element; /* a QP, CQ or SRQ, or the port's number, by the event's type */
	uint32_t event_type;
};

/*
 * Newer operations are in front of the context, at offsets from its beginning; the
 * library's sz member limits them. The operations used here:
 */
#define ABI_CLOSE_XRCD 24
#define ABI_OPEN_XRCD 32
#define ABI_CREATE_SRQ_EX 40
#define ABI_GET_SRQ_NUM 48
#define ABI_CREATE_QP_EX 56
#define ABI_OPEN_QP 64
#define ABI_QUERY_DEVICE_EX 104
#define ABI_CREATE_CQ_EX 120
#define ABI_MODIFY_CQ 184
#define ABI_ALLOC_TD 192
#define ABI_DEALLOC_TD 200
#define ABI_ALLOC_PARENT_DOMAIN 208
#define ABI_ADVISE_MR 312
#define ABI_QUERY_PORT 320

/* libmlx5.so.1 */

struct abi_mlx5dv_qp_init_attr {
	uint64_t comp_mask; /* ABI_MLX5DV_QP_INIT_ATTR_MASK_ */
	uint32_t create_flags;
	uint64_t newer[3];
};

#define ABI_MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS 1
#define ABI_MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE 8
#define ABI_MLX5DV_QP_CREATE_OOO_DP 128

#define ABI_MLX5DV_CONTEXT_MASK_OOO_RECV_WRS 0x10000

struct abi_mlx5dv_ooo_recv_wrs_caps {
	uint32_t max_rc;
	uint32_t max_xrc;
	uint32_t max_dct;
	uint32_t max_ud;
	uint32_t max_uc;
};

struct abi_mlx5dv_context {
	uint8_t version;
	uint64_t flags;
	uint64_t comp_mask; /* ABI_MLX5DV_CONTEXT_MASK_ */
	uint64_t others[19];
	struct abi_mlx5dv_ooo_recv_wrs_caps ooo_recv_wrs_caps;
};

/* libefa.so.1 */

struct abi_efadv_device_attr {
	uint64_t comp_mask;
	uint32_t max_sq_wr;
	uint32_t max_rq_wr;
	uint16_t max_sq_sge;
	uint16_t max_rq_sge;
	uint16_t inline_buf_size;
	uint16_t newer;
	uint32_t device_caps; /* ABI_EFADV_DEVICE_ATTR_CAPS_ */
	uint32_t max_rdma_size;
};

#define ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_READ 1
#define ABI_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE 8

struct abi_efadv_qp_init_attr {
	uint64_t comp_mask;
	uint32_t driver_qp_type;
	uint8_t newer[4];
};

#define ABI_EFADV_QP_DRIVER_TYPE_SRD 0

/* librdmacm.so.1 */

struct abi_event_channel {
	int fd;
};

struct abi_cm_id {
	struct abi_context *verbs;
	struct abi_event_channel *channel;
	void *context;
	struct abi_qp *qp;
	uint8_t route[312];
	uint32_t ps;
	uint8_t port_num;
};

struct abi_conn_param {
	const void *private_data;
	uint8_t private_data_len;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t srq;
	uint32_t qp_num;
};

struct abi_ud_param {
	const void *private_data;
	uint8_t private_data_len;
	struct abi_ah_attr ah_attr;
	uint32_t qp_num;
	uint32_t qkey;
};

struct abi_cm_event {
	struct abi_cm_id *id;
	struct abi_cm_id *listen_id;
	uint32_t event;
	int status;
	union {
		struct abi_conn_param conn;
		struct abi_ud_param ud;
	} param;
};

/* TPH: hints in DMA handles, which regions are registered with. rdma-core before 64 has no member buf. */

struct abi_dmah {
	struct abi_context *context;
};

struct abi_dmah_init_attr {
	uint32_t comp_mask;
	uint32_t cpu_id;
	uint8_t ph;
	uint8_t tph_mem_type;
};

enum { ABI_REG_MR_MASK_IOVA = 1 << 0, ABI_REG_MR_MASK_ADDR = 1 << 1, ABI_REG_MR_MASK_DMAH = 1 << 4 };

struct abi_mr_init_attr {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	struct abi_dmah *dmah;
	void *buf;
};

/* Completion counters. */

struct abi_comp_cntr_caps {
	uint64_t max_value;
	uint32_t max_counters;
	uint32_t supported_qp_attach_ops;
};

struct abi_comp_cntr {
	struct abi_context *context;
	uint32_t handle;
};

struct abi_comp_cntr_init_attr {
	uint32_t comp_mask;
	uint32_t type;
	uint32_t flags;
};

struct abi_qp_attach_comp_cntr_attr {
	uint32_t comp_mask;
	uint32_t op_mask;
};

#endif
